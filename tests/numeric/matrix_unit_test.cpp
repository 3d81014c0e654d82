// One step of a matrix unit, by hand. M is the exponent that all terms are aligned to, 2^(M-F) the last bit kept.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/numeric_model.hpp"
#include "fusecheck/tensor.hpp"
#include "numeric/sums.hpp"

namespace fusecheck::numeric {
namespace {

using Values = std::vector<float>;

const MatrixUnit v100 = parse_model("mma:4,23").sum.unit;
const MatrixUnit a100 = parse_model("mma:8,24").sum.unit;
const MatrixUnit h100 = parse_model("mma:16,25").sum.unit;
const MatrixUnit no_floor = parse_model("mma:8,24,-100000").sum.unit;

float step(const Values& a, const Values& b, float c, const MatrixUnit& unit, DType out = DType::f32) {
  return matrix_unit_step(a, b, c, unit, out);
}

TEST(MatrixUnit, TermsAreCutAtFBits) {
  // M = 0. One product of 2^-24 is kept at F = 24 but does not fit f32's 23 bits; two of them do.
  EXPECT_EQ(step({0x1p-12F}, {0x1p-12F}, 1, a100), 1);
  EXPECT_EQ(step({0x1p-12F, 0x1p-12F}, {0x1p-12F, 0x1p-12F}, 1, a100), 1 + 0x1p-23F);
  EXPECT_EQ(step({0x1p-12F, 0x1p-12F}, {0x1p-12F, 0x1p-12F}, 1, v100), 1);  // F = 23 cuts both
  // Eight products of 2^-25: each is cut at F = 24, kept at F = 25, where they make 2^-22.
  const Values a(8, 0x1p-12F), b(8, 0x1p-13F);
  EXPECT_EQ(step(a, b, 1, a100), 1);
  EXPECT_EQ(step(a, b, 1, h100), 1 + 0x1p-22F);
}

TEST(MatrixUnit, NegativeTermsAreCutTowardZero) {
  // -2^-25 vanishes (rounding down would give 1 - 2^-24), and -1.5·2^-24 becomes -2^-24.
  EXPECT_EQ(step({-0x1p-12F}, {0x1p-13F}, 1, a100), 1);
  EXPECT_EQ(step({-1.5F}, {0x1p-24F}, 1, a100), 1 - 0x1p-24F);
}

TEST(MatrixUnit, TheAccumulatorIsCutToo) {
  // 2^20 and -2^20 cancel; M = 20, so c keeps multiples of 2^-4.
  EXPECT_EQ(step({1024, -1024}, {1024, 1024}, 1 + 0x1p-5F, a100), 1);
  EXPECT_EQ(step({1024, -1024}, {1024, 1024}, 0x1p-5F, a100), 0);
  EXPECT_EQ(step({1024, -1024}, {1024, 1024}, 0x1p-5F, h100), 0x1p-5F);
}

TEST(MatrixUnit, ProductsAreNotNormalised) {
  // 1.5·1.5 = 2.25 has the exponent 0, not 1: 2^-24 stays and is what is left after cancelling. At F = 23 it goes.
  EXPECT_EQ(step({1.5F, -1.5F}, {1.5F, 1.5F}, 0x1p-24F, a100), 0x1p-24F);
  EXPECT_EQ(step({1.5F, -1.5F}, {1.5F, 1.5F}, 0x1p-24F, v100), 0);
  EXPECT_EQ(step({1.5F, -1.5F}, {1.5F, 1.5F}, 0x1p-25F, a100), 0);
}

TEST(MatrixUnit, OneFinalRounding) {
  // 1 + 3·2^-24: toward zero to 1 + 2^-23; to nearest it is a tie that goes to 1 + 2^-22.
  EXPECT_EQ(step({3 * 0x1p-12F}, {0x1p-12F}, 1, a100), 1 + 0x1p-23F);
  EXPECT_EQ(step({-3 * 0x1p-12F}, {0x1p-12F}, -1, a100), -(1 + 0x1p-23F));
  EXPECT_EQ(step({3 * 0x1p-12F}, {0x1p-12F}, 1, parse_model("mma:8,24,-132,nearest_even").sum.unit), 1 + 0x1p-22F);
  // f16 results go to nearest even whatever the unit: 1 + 2^-11 to 1, 1 + 3·2^-11 to 1 + 2^-9.
  EXPECT_EQ(step({0x1p-11F}, {1}, 1, a100, DType::f16), 1);
  EXPECT_EQ(step({3 * 0x1p-11F}, {1}, 1, a100, DType::f16), 1 + 0x1p-9F);
  EXPECT_EQ(step({256}, {256}, 0, a100, DType::f16), std::numeric_limits<float>::infinity());
}

TEST(MatrixUnit, FloorOfTheAlignmentForF32) {
  // 255·2^-157 + 2^-157 = 2^-149, the smallest f32. Aligned at -150 nothing is lost. At -132 and F = 24 multiples of
  // 2^-156 stay: 127 of them, which round to 0. At -133 and F = 25 multiples of 2^-158 stay.
  const Values a = {255 * 0x1p-80F, 0x1p-80F}, b = {0x1p-77F, 0x1p-77F};
  EXPECT_EQ(step(a, b, 0, no_floor), 0x1p-149F);
  EXPECT_EQ(step(a, b, 0, a100), 0);
  EXPECT_EQ(step(a, b, 0, h100), 0x1p-149F);
}

TEST(MatrixUnit, FloorOfTheAlignmentForF16) {
  // 2^-25 is the tie below the smallest f16; 2^-46 lifts it over. Floors: A100 -20, last bit 2^-44; H100 -21 with F =
  // 25, last bit 2^-46; V100 -19 with F = 23, last bit 2^-42.
  const Values a = {0x1p-12F, 0x1p-23F}, b = {0x1p-13F, 0x1p-23F};
  EXPECT_EQ(step(a, b, 0, no_floor, DType::f16), 0x1p-24F);
  EXPECT_EQ(step(a, b, 0, a100, DType::f16), 0);
  EXPECT_EQ(step(a, b, 0, h100, DType::f16), 0x1p-24F);
  EXPECT_EQ(step(a, b, 0, v100, DType::f16), 0);
  const Values c = {0x1p-12F, 0x1p-21F}, d = {0x1p-13F, 0x1p-21F};
  EXPECT_EQ(step(c, d, 0, v100, DType::f16), 0x1p-24F);
}

TEST(MatrixUnit, SubnormalOperandsOfF16KeepTheSmallestExponent) {
  // 2^-24 · 2^-1 is the tie 2^-25 with the exponent -14 - 1, so multiples of 2^-39 stay and 2^-40 goes; were 2^-24
  // normalised, the floor of -20 would keep it.
  EXPECT_EQ(step({0x1p-24F, 0x1p-24F}, {0.5F, 0x1p-16F}, 0, a100, DType::f16), 0);
  EXPECT_EQ(step({0x1p-24F, 0x1p-24F}, {0.5F, 0x1p-15F}, 0, a100, DType::f16), 0x1p-24F);
}

TEST(MatrixUnit, SubnormalAccumulator) {
  EXPECT_EQ(step({0}, {1}, 0x1p-149F, a100), 0x1p-149F);
  EXPECT_EQ(step({0x1p-75F}, {0x1p-74F}, 0x1p-149F, a100), 0x1p-148F);
  EXPECT_EQ(step({1}, {0}, 0x1p-24F, a100, DType::f16), 0x1p-24F);
}

TEST(MatrixUnit, ZeroTermsHaveNoExponent) {
  // 0·2^100 must not set M.
  EXPECT_EQ(step({0, 1}, {0x1p100F, 1}, 0x1p-20F, a100), 1 + 0x1p-20F);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(step({-0.0F}, {1}, -0.0F, a100)), 0U);
}

TEST(MatrixUnit, SpecialValues) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(step({inf, 1}, {2, 1}, 0, a100), inf);
  EXPECT_EQ(step({1}, {1}, -inf, a100, DType::f16), -inf);
  for (const float result : {step({inf}, {0}, 1, a100), step({inf}, {1}, -inf, a100),
                             step({-std::nanf("1")}, {1}, 0, a100), step({inf, inf}, {1, -1}, 0, a100, DType::f16)}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(result), 0x7fc0'0000U);
  }
}

TEST(MatrixUnit, MisuseIsAnInternalError) {
  EXPECT_THROW(step({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 0, v100), Error);
  EXPECT_THROW(step({1}, {1, 1}, 0, v100), Error);
  EXPECT_THROW(step({1}, {1}, 0, v100, DType::bf16), Error);
  EXPECT_THROW(step({1}, {1}, 0, {.fraction_bits = 41}), Error);
}

// Rows of a[0..L), b[0..L), c, d, as measured on the unit that the file's name begins with: "A100_bf16_fp32.npy".
std::size_t reproduced(const std::filesystem::path& file, std::size_t& samples) {
  const std::string name = file.filename().string();
  const bool tf32 = name.find("_tf32_") != std::string::npos;
  const DType out = name.ends_with("_fp16.npy") ? DType::f16 : DType::f32;
  MatrixUnit unit = name.starts_with("V100") ? v100 : name.starts_with("A100") || name.starts_with("Ada") ? a100 : h100;
  if (tf32) unit.products /= 2;
  const Tensor data = read_tensor(file);
  const Values values = data.floats();
  const std::size_t width = static_cast<std::size_t>(data.shape()[1]), terms = (width - 2) / 2;
  samples = values.size() / width;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::span<const float> row = std::span(values).subspan(i * width, width);
    // The file holds one step; a row longer than the unit would be several.
    EXPECT_LE(terms, static_cast<std::size_t>(unit.products)) << name;
    // c was drawn in f32; what the unit saw is its conversion to the accumulator's format.
    const auto c = static_cast<float>(round_to(out, static_cast<double>(row[width - 2])));
    const float d = matrix_unit_step(row.first(terms), row.subspan(terms, terms), c, unit, out);
    equal += std::bit_cast<std::uint32_t>(d) == std::bit_cast<std::uint32_t>(row[width - 1]) ? 1U : 0U;
  }
  return equal;
}

// Opt-in: FUSECHECK_MATRIX_UNITS names a folder of samples measured on hardware (the model_validation data of the
// MATLAB-tensor-core project as f32 .npy). The tests above stand in its place otherwise.
TEST(MatrixUnit, ReproducesMeasuredSamples) {
  const char* folder = std::getenv("FUSECHECK_MATRIX_UNITS");
  if (folder == nullptr) {
    std::cout << "opt-in: set FUSECHECK_MATRIX_UNITS to a folder of measured samples\n";
    return;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npy") continue;
    std::size_t samples = 0;
    const std::size_t equal = reproduced(entry.path(), samples);
    std::cout << entry.path().filename().string() << ": " << equal << " of " << samples << "\n";
    EXPECT_GT(samples, 0U);
    EXPECT_EQ(equal, samples);
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace fusecheck::numeric
