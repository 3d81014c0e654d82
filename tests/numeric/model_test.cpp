#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/numeric_model.hpp"

namespace fusecheck {
namespace {

TEST(Model, DefaultIsIeee) {
  EXPECT_EQ(parse_model("ieee"), NumericModel{});
  EXPECT_EQ(to_text(NumericModel{}), "ieee");
}

TEST(Model, BaseNames) {
  EXPECT_EQ(parse_model("fp16-accumulate").accumulate, DType::f16);
  const NumericModel ascend = parse_model("ascend-a2");
  EXPECT_TRUE(ascend.declared);
  EXPECT_EQ(ascend.accumulate, DType::f32);
  EXPECT_EQ(ascend.sum, SumOrder{});
  EXPECT_FALSE(parse_model("ieee").declared);
}

// L, F and the alignment floors published for V100, A100 and H100; the first has none that f16 products reach, their
// lowest exponent being -48.
TEST(Model, MatrixUnits) {
  const MatrixUnit v100 = parse_model("mma:4,23").sum.unit;
  EXPECT_EQ(v100.products, 4);
  EXPECT_EQ(v100.fraction_bits, 23);
  EXPECT_LT(v100.min_exponent, -126);
  EXPECT_EQ(v100.final_rounding, Rounding::toward_zero);
  EXPECT_EQ(parse_model("mma:8,24").sum.unit.min_exponent, -132);
  EXPECT_EQ(parse_model("mma:16,25").sum.unit.min_exponent, -133);
  EXPECT_EQ(parse_model("mma:8,24").sum.kind, SumKind::matrix_unit);
  const MatrixUnit own = parse_model("mma:2,30,-100000,nearest_even").sum.unit;
  EXPECT_EQ(own.min_exponent, -100000);
  EXPECT_EQ(own.final_rounding, Rounding::nearest_even);
}

TEST(Model, Options) {
  EXPECT_EQ(parse_model("ieee/pairwise").sum.kind, SumKind::pairwise);
  EXPECT_EQ(parse_model("ieee/reversed").sum.kind, SumKind::reversed);
  EXPECT_EQ(parse_model("ieee/block16").sum.kind, SumKind::block16);
  const NumericModel split = parse_model("ieee/split_k:4");
  EXPECT_EQ(split.sum.kind, SumKind::split_k);
  EXPECT_EQ(split.sum.parts, 4);
  const NumericModel blocked = parse_model("ieee/c0:8");
  EXPECT_EQ(blocked.k_order, KOrder::c1_kh_kw_c0);
  EXPECT_EQ(blocked.c0, 8);
  const NumericModel store = parse_model("ieee/store:toward_zero/saturate/flush_stores");
  EXPECT_EQ(store.store.direction, Rounding::toward_zero);
  EXPECT_EQ(store.store.overflow, Overflow::saturate);
  EXPECT_EQ(store.store.subnormals, Subnormals::flush);
  EXPECT_TRUE(parse_model("ieee/flush").flush_subnormals);
}

TEST(Model, TextRoundTrips) {
  for (const char* text :
       {"ieee", "fp16-accumulate", "ascend-a2", "mma:4,23", "mma:8,24", "mma:16,25", "mma:8,24,-100", "ieee/pairwise",
        "mma:2,30,-132,nearest_even", "ieee/split_k:4/c0:16", "mma:8,24/c0:16", "mma:8,24/sequential",
        "ieee/mma:8,24/accumulate:f16", "ieee/store:odd/saturate/flush_stores/flush/declared", "ascend-a2/reversed",
        "ieee/operands:hf32", "mma:8,24/operands:tf32"}) {
    EXPECT_EQ(to_text(parse_model(text)), text);
  }
  NumericModel model = parse_model("mma:8,24");
  model.k_order = KOrder::c1_kh_kw_c0;
  model.c0 = 32;
  model.flush_subnormals = true;
  EXPECT_EQ(to_text(model), "mma:8,24/c0:32/flush");
  EXPECT_EQ(parse_model(to_text(model)), model);
}

std::string message_of(const std::string& text) {
  try {
    parse_model(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
    return error.what();
  }
  return "accepted " + text;
}

TEST(Model, BadTextIsAUsageError) {
  EXPECT_EQ(message_of("ieeee"),
            "model 'ieeee' is unknown: use ieee, fp16-accumulate, mma:L,F or ascend-a2. Did you mean 'ieee'?");
  EXPECT_EQ(message_of("mma:8"),
            "matrix unit '8' in model 'mma:8' must read L,F: products a step and fraction bits, such as mma:8,24");
  EXPECT_EQ(message_of("mma:0,24"), "L (products a step) of a matrix unit is 0, outside 1 to 64");
  EXPECT_EQ(message_of("ieee/store:odds"),
            "rounding 'odds' in model 'ieee/store:odds' is none of nearest_even, nearest_away, toward_zero, up, down, "
            "odd. Did you mean 'odd'?");
  EXPECT_TRUE(message_of("ieee/pairwse").ends_with("Did you mean 'pairwise'?"));
  EXPECT_TRUE(message_of("ieee/split_k").ends_with("Did you mean 'split_k:4'?"));
  for (const char* text :
       {"", "/", "ieee/", "mma", "mma:", "mma:8,24,x", "mma:8,99", "mma:8,24,-132,up,1", "ieee/split_k:0",
        "ieee/split_k:x", "ieee/c0:-1", "ieee/accumulate:bf16", "ieee /pairwise"}) {
    EXPECT_FALSE(message_of(text).starts_with("accepted")) << text;
  }
}

TEST(Model, ListNamesEveryBase) {
  const std::vector<ModelDescription> models = list_models();
  ASSERT_GE(models.size(), 4U);
  EXPECT_EQ(models[0].name, "ieee");
  EXPECT_EQ(models[1].name, "fp16-accumulate");
  EXPECT_EQ(models[2].name, "mma:L,F");
  EXPECT_EQ(models[3].name, "ascend-a2");
}

}  // namespace
}  // namespace fusecheck
