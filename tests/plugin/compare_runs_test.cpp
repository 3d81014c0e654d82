#include "plugin/compare_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fusecheck::plugin {
namespace {

const TensorPlace place{"y", "y.npy", DType::f16, {2, 3}, {}};

// Six f16 elements: 1, except where `poisoned` says so.
Run run_with(Poison poison, const std::vector<std::size_t>& poisoned, double sixth = 1) {
  Tensor y = Tensor::from(DType::f16, {2, 3}, std::vector<double>{1, 1, 1, 1, 1, sixth});
  for (const std::size_t i : poisoned) fill(y.bytes().subspan(2 * i, 2), DType::f16, poison);
  return {poison, {{"y", y}}};
}

// f16: 0x7ea5 has an exponent of all ones and its quiet bit: a NaN. 0x4ad3 is 2^(18-15)·(1 + 723/1024) = 13.6484375.
TEST(Poison, IsANanOrANumberNearFourteen) {
  EXPECT_TRUE(std::isnan(value_of(DType::f16, pattern_of(DType::f16, Poison::nan))));
  EXPECT_EQ(value_of(DType::f16, pattern_of(DType::f16, Poison::number)), 13.6484375);
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    EXPECT_TRUE(std::isnan(value_of(dtype, pattern_of(dtype, Poison::nan))));
    EXPECT_NEAR(value_of(dtype, pattern_of(dtype, Poison::number)), 13.65, 0.03);
  }
  EXPECT_EQ(pattern_of(DType::i32, Poison::nan), 0xa5a5a5a5U);
}

TEST(Unwritten, SaysHowManyAndWhere) {
  EXPECT_EQ(unwritten(place, {run_with(Poison::nan, {})}).count, 0);
  EXPECT_EQ(unwritten(place, {run_with(Poison::nan, {4, 5})}).text,
            "2 of 6 elements of y, all of them the last 2, from [1,1]");
  EXPECT_EQ(unwritten(place, {run_with(Poison::nan, {1, 3})}).text, "2 of 6 elements of y, from [0,1] to [1,0]");
}

// What holds the poison of one run only was computed.
TEST(Unwritten, AsksEveryRun) {
  EXPECT_EQ(unwritten(place, {run_with(Poison::nan, {1, 3}), run_with(Poison::number, {3})}).text,
            "1 of 6 elements of y, from [1,0] to [1,0]");
}

TEST(Difference, IsInBitsAndNotInWhatNeitherRunWrote) {
  const CaseFolder folder{"", "", "", "", {}, {}, {place}};
  EXPECT_EQ(difference(folder, run_with(Poison::nan, {1}), run_with(Poison::number, {1})), std::nullopt);
  EXPECT_EQ(difference(folder, run_with(Poison::nan, {}), run_with(Poison::nan, {}, 3)),
            "y: 1 of 6 elements, first at [1,2], 1 and 3");
  EXPECT_EQ(difference(folder, run_with(Poison::nan, {}, 0.0), run_with(Poison::nan, {}, -0.0)),
            "y: 1 of 6 elements, first at [1,2], 0 and -0");
}

}  // namespace
}  // namespace fusecheck::plugin
