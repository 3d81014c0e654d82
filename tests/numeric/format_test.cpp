#include <gtest/gtest.h>

#include <string>

#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

// IEEE 754-2019 table 3.5 for f16, f32, f64; bf16 keeps f32's exponents and 8 significand bits.
TEST(Format, ParametersOfTheStandard) {
  EXPECT_EQ(largest_finite(DType::f16), 65504.0);
  EXPECT_EQ(largest_finite(DType::bf16), 0x1.fep127);
  EXPECT_EQ(largest_finite(DType::f32), 0x1.fffffep127);
  EXPECT_EQ(largest_finite(DType::f64), 0x1.fffffffffffffp1023);
  EXPECT_EQ(smallest_normal(DType::f16), 0x1p-14);
  EXPECT_EQ(smallest_normal(DType::bf16), 0x1p-126);
  EXPECT_EQ(smallest_normal(DType::f32), 0x1p-126);
  EXPECT_EQ(smallest_normal(DType::f64), 0x1p-1022);
  EXPECT_EQ(smallest_subnormal(DType::f16), 0x1p-24);
  EXPECT_EQ(smallest_subnormal(DType::bf16), 0x1p-133);
  EXPECT_EQ(smallest_subnormal(DType::f32), 0x1p-149);
  EXPECT_EQ(smallest_subnormal(DType::f64), 0x1p-1074);
  EXPECT_EQ(unit_roundoff(DType::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DType::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::f64), 0x1p-53);
}

TEST(Format, SizesInBytes) {
  EXPECT_EQ(size_of(DType::f64), 8U);
  EXPECT_EQ(size_of(DType::f32), 4U);
  EXPECT_EQ(size_of(DType::f16), 2U);
  EXPECT_EQ(size_of(DType::bf16), 2U);
  EXPECT_EQ(size_of(DType::i64), 8U);
  EXPECT_EQ(size_of(DType::i32), 4U);
  EXPECT_EQ(size_of(DType::u8), 1U);
  EXPECT_EQ(size_of(DType::boolean), 1U);
}

TEST(Format, NamesAndAliases) {
  for (const DType dtype :
       {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32, DType::u8, DType::boolean}) {
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  }
  EXPECT_EQ(name_of(DType::f16), "f16");
  EXPECT_EQ(name_of(DType::boolean), "bool");
  EXPECT_EQ(parse_dtype("half"), DType::f16);
  EXPECT_EQ(parse_dtype("fp16"), DType::f16);
  EXPECT_EQ(parse_dtype("float16"), DType::f16);
  EXPECT_EQ(parse_dtype("bfloat16"), DType::bf16);
  EXPECT_EQ(parse_dtype("float"), DType::f32);
  EXPECT_EQ(parse_dtype("double"), DType::f64);
  EXPECT_EQ(parse_dtype("int64"), DType::i64);
}

TEST(Format, UnknownNameIsAUsageErrorThatNamesTheChoices) {
  try {
    parse_dtype("f61");
    FAIL() << "accepted f61";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(std::string(error.what()),
              "dtype 'f61' is unknown: use one of f64, f32, f16, bf16, i64, i32, u8, bool. Did you mean 'f64'?");
  }
  EXPECT_THROW(parse_dtype(""), Error);
  EXPECT_THROW(parse_dtype("F16 "), Error);
}

TEST(Format, IntegersHaveNoFloatingFormat) {
  EXPECT_FALSE(is_floating(DType::i32));
  EXPECT_TRUE(is_floating(DType::bf16));
  EXPECT_THROW(format_of(DType::i32), Error);
}

}  // namespace
}  // namespace fusecheck
