#include "fusecheck/tensor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "support/expect_error.hpp"
#include "tensor/element.hpp"

namespace fusecheck {
namespace {

using testing::expect_error;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor tensor_of(DType dtype, const std::vector<double>& values) {
  return Tensor::from(dtype, {static_cast<std::int64_t>(values.size())}, values);
}

template <class T>
std::vector<T> elements(const Tensor& tensor) {
  std::vector<T> values(tensor.bytes().size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = tensor::load<T>(tensor.bytes().data() + i * sizeof(T));
  return values;
}

TEST(Tensor, StartsAsZeros) {
  const Tensor tensor(DType::f16, {2, 3});
  EXPECT_EQ(tensor.size(), 6);
  EXPECT_EQ(tensor.bytes().size(), 12u);
  EXPECT_EQ(tensor.doubles(), std::vector<double>(6, 0.0));
}

// f16: 5 exponent bits with bias 15, 10 fraction bits. 0.1 = 1.6·2^-4, 0.6·2^10 = 614.4 -> 614: (11 << 10) + 614 =
// 0x2e66. 65504 = (2 - 2^-10)·2^15 is the largest; 65520 lies half way to 2^16 and goes to even, infinity. 2^-25 is a
// tie to 0.
TEST(Tensor, RoundsOnceIntoF16) {
  const Tensor tensor = tensor_of(
      DType::f16, {1, 0.1, -2, 65504, 65519.99, 65520, 0x1p-24, 0x1p-25, 0x1.8p-24, 0x1p-14, -0.0, -infinity});
  EXPECT_EQ(elements<std::uint16_t>(tensor),
            (std::vector<std::uint16_t>{0x3c00, 0x2e66, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x0001, 0x0000, 0x0002, 0x0400,
                                        0x8000, 0xfc00}));
  EXPECT_EQ(tensor.at(1), 0.0999755859375);  // 1638·2^-14
  EXPECT_TRUE(std::signbit(tensor.at(10)));
}

// The double 1 + 2^-11 + 2^-40 is above the tie between 1 and 1 + 2^-10. By way of f32 it would lose the 2^-40 and fall
// on the tie, which goes to even, to 1.
TEST(Tensor, DoesNotRoundTwice) {
  EXPECT_EQ(elements<std::uint16_t>(tensor_of(DType::f16, {1 + 0x1p-11 + 0x1p-40})),
            std::vector<std::uint16_t>{0x3c01});
}

// bf16 keeps the upper 16 bits of f32: 7 fraction bits. 1 + 2^-8 is a tie to the even 0x3f80, 1 + 3·2^-8 one to 0x3f82.
TEST(Tensor, RoundsOnceIntoBf16) {
  EXPECT_EQ(
      elements<std::uint16_t>(tensor_of(DType::bf16, {1, 1 + 0x1p-8, 1 + 3 * 0x1p-8, -0x1p-126, 0x1p-133, infinity})),
      (std::vector<std::uint16_t>{0x3f80, 0x3f80, 0x3f82, 0x8080, 0x0001, 0x7f80}));
}

TEST(Tensor, HoldsOneNan) {
  const double other = -std::bit_cast<double>(0x7ff8000000001234u);
  EXPECT_EQ(elements<std::uint16_t>(tensor_of(DType::f16, {other})), std::vector<std::uint16_t>{0x7e00});
  EXPECT_EQ(elements<std::uint16_t>(tensor_of(DType::bf16, {other})), std::vector<std::uint16_t>{0x7fc0});
  EXPECT_EQ(elements<std::uint32_t>(tensor_of(DType::f32, {other})), std::vector<std::uint32_t>{0x7fc00000});
  EXPECT_EQ(elements<std::uint64_t>(tensor_of(DType::f64, {other})), std::vector<std::uint64_t>{0x7ff8000000000000});
}

// 0.1 lies nearest to 1638·2^-14 in f16 and to 205·2^-11 in bf16.
TEST(Tensor, PartsAreReadAndWritten) {
  const std::vector<float> values = {0.1F, -2, 0};
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::u8, DType::boolean}) {
    std::vector<std::byte> bytes(3 * size_of(dtype));
    write_elements(dtype, values, bytes);
    EXPECT_TRUE(std::ranges::equal(bytes, Tensor::from(dtype, {3}, values).bytes())) << name_of(dtype);
    std::vector<float> read(3);
    read_elements(dtype, bytes, read);
    const float tenth = dtype == DType::f16       ? 0.0999755859375F
                        : dtype == DType::bf16    ? 0.10009765625F
                        : dtype == DType::boolean ? 1
                        : is_floating(dtype)      ? 0.1F
                                                  : 0;
    const float minus_two = dtype == DType::u8 ? 0 : dtype == DType::boolean ? 1 : -2;
    EXPECT_EQ(read, (std::vector<float>{tenth, minus_two, 0})) << name_of(dtype);
    EXPECT_EQ(Tensor(dtype, {3, 1}, bytes).at(1), minus_two);
    EXPECT_THROW(write_elements(dtype, std::span<const float>(values).first(2), bytes), Error);
    EXPECT_THROW(read_elements(dtype, bytes, std::span(read).first(2)), Error);
    EXPECT_THROW(Tensor(dtype, {2}, bytes), Error);
  }
}

TEST(Tensor, RoundsAndSaturatesIntegers) {
  EXPECT_EQ(elements<std::uint8_t>(tensor_of(DType::u8, {-1, 2.5, 3.5, 255, 256, nan})),
            (std::vector<std::uint8_t>{0, 2, 4, 255, 255, 0}));
  EXPECT_EQ(elements<std::int32_t>(tensor_of(DType::i32, {-0.5, 1e10, -infinity})),
            (std::vector<std::int32_t>{0, 2147483647, -2147483647 - 1}));
  // Values pass through double: the largest one below 2^63 is 2^63 - 1024.
  EXPECT_EQ(elements<std::int64_t>(tensor_of(DType::i64, {1e300, -1e300, 7})),
            (std::vector<std::int64_t>{0x7ffffffffffffc00, std::numeric_limits<std::int64_t>::min(), 7}));
  EXPECT_EQ(elements<std::uint8_t>(tensor_of(DType::boolean, {0, 1})), (std::vector<std::uint8_t>{0, 1}));
}

TEST(Tensor, GivesItsValuesBack) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32}) {
    const std::vector<double> values = {0, 1, -3, 96};
    const Tensor tensor = tensor_of(dtype, values);
    EXPECT_EQ(tensor.doubles(), values) << name_of(dtype);
    EXPECT_EQ(tensor.floats(), (std::vector<float>{0, 1, -3, 96})) << name_of(dtype);
    EXPECT_EQ(tensor.at(2), -3) << name_of(dtype);
  }
}

TEST(Tensor, TakesFloats) {
  const std::vector<float> values = {0.1f, -2, 65519.99f};
  EXPECT_EQ(elements<std::uint16_t>(Tensor::from(DType::f16, {3}, values)),
            (std::vector<std::uint16_t>{0x2e66, 0xc000, 0x7bff}));
  EXPECT_EQ(elements<float>(Tensor::from(DType::f32, {3}, values)), values);
  EXPECT_EQ(elements<double>(Tensor::from(DType::f64, {3}, values))[0], static_cast<double>(0.1f));
  EXPECT_EQ(elements<std::int32_t>(Tensor::from(DType::i32, {3}, values)), (std::vector<std::int32_t>{0, -2, 65520}));
}

TEST(Tensor, RefusesAnotherNumberOfValuesAndPositionsOutside) {
  expect_error(ErrorKind::internal, "3 values for a tensor of shape 2x2", [] {
    const std::vector<double> values(3);
    Tensor::from(DType::f32, {2, 2}, values);
  });
  const Tensor tensor(DType::f32, {2});
  expect_error(ErrorKind::internal, "element 2 of a tensor of 2", [&] { tensor.at(2); });
  expect_error(ErrorKind::internal, "element -1 of a tensor of 2", [&] { tensor.at(-1); });
  expect_error(ErrorKind::usage, HasSubstr("more than 2^40"), [] { Tensor(DType::u8, {1 << 30, 1 << 30}); });
}

// The four bytes 00 3c 00 c0 are 1 and -2 in f16; their hash is what `printf '\x00\x3c\x00\xc0' | sha256sum` prints.
TEST(Tensor, HashesItsPayload) {
  EXPECT_EQ(sha256(tensor_of(DType::f16, {1, -2})), "0c82e2008d4b1c37a2604f1dee0db584daf39b6ab140aaa834d3eac1df0b9458");
}

// Inline conversions against the definition of the formats, on every pattern there is.
TEST(Element, WidensAndNarrowsEvery16BitPatternAsTheFormatsSay) {
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const double f16 = value_of(DType::f16, pattern);
    const double bf16 = value_of(DType::bf16, pattern);
    if (std::isnan(f16)) {
      ASSERT_TRUE(std::isnan(tensor::widen_f16(bits))) << pattern;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(tensor::widen_f16(bits))),
                std::bit_cast<std::uint64_t>(f16));
    }
    if (std::isnan(bf16)) {
      ASSERT_TRUE(std::isnan(tensor::widen_bf16(bits))) << pattern;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(tensor::widen_bf16(bits))),
                std::bit_cast<std::uint64_t>(bf16));
    }
    ASSERT_EQ(tensor::narrow_f16(static_cast<float>(f16)), std::isnan(f16) ? 0x7e00 : bits);
    ASSERT_EQ(tensor::narrow_bf16(static_cast<float>(bf16)), std::isnan(bf16) ? 0x7fc0 : bits);
  }
}

// As round_to says: any number but 0 is true, a NaN is not.
TEST(Tensor, OfTruthsIsWhatRoundingGives) {
  const std::vector<double> values = {0, -0.0, 1, -1, 0.25, 5e-324, infinity, nan};
  const std::vector<double> truths = {0, 0, 1, 1, 1, 1, 1, 0};
  EXPECT_EQ(Tensor::from(DType::boolean, {8}, std::span<const double>(values)).doubles(), truths);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(round_to(DType::boolean, values[i]), truths[i]) << i;
  const std::vector<float> narrow = {0.0F, -0.0F, 1.0F, -1.0F, 0.25F, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(Tensor::from(DType::boolean, {6}, std::span<const float>(narrow)).doubles(),
            (std::vector<double>{0, 0, 1, 1, 1, 0}));
}

}  // namespace
}  // namespace fusecheck
