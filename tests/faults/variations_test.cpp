// Legal kernels pass: any order of sums, either K layout, f64 accumulators, published matrix units, every recipe, edges
// rounded or kept. FUSECHECK_RUNS=1000 makes so many runs of each op (a small number otherwise); FUSECHECK_TABLE=1
// prints predicted and observed flips of each accumulation.
#include "variations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "family/batch_norm.hpp"
#include "family/conv.hpp"

namespace fusecheck::testing {
namespace {

std::uint64_t runs() {
  const char* asked = std::getenv("FUSECHECK_RUNS");
  return asked == nullptr ? 40 : std::strtoull(asked, nullptr, 10);
}

struct Flips {
  double predicted = 0;
  std::int64_t observed = 0, elements = 0;
};
using FlipTable = std::map<std::string, Flips>;  // "f16 infer y split_k:4"

void count_flips(const CheckReport& report, const Variation& variation, FlipTable& table) {
  for (const OutputReport& row : of_kernel(report)) {
    if (row.output != "y" && row.output != "dx" && row.output != "dw") continue;
    const char* mode = variation.edges.training ? " train " : " infer ";
    Flips& flips = table[std::string(name_of(row.dtype)) + mode + row.output + " " + variation.accumulation];
    flips.predicted += row.judgement.flips_predicted;
    flips.observed += row.judgement.flips_observed;
    flips.elements += row.judgement.n;
  }
}

void print(const std::string& op, const FlipTable& table) {
  std::cout << "op type mode output accumulation  elements  predicted  observed\n";
  for (const auto& [name, flips] : table) {
    std::cout << op << " " << name << "  " << flips.elements << "  " << std::fixed << std::setprecision(1)
              << flips.predicted << "  " << flips.observed << "\n";
  }
}

class LegalVariations : public ::testing::TestWithParam<std::string> {};

TEST_P(LegalVariations, pass) {
  const std::string& op = GetParam();
  const bool has_batch_norm = op.find("Bn") != std::string::npos;
  FlipTable table;
  ASSERT_GT(runs(), 0U);
  for (std::uint64_t i = 0; i < runs(); ++i) {
    const Variation variation = variation_of(op, has_batch_norm, i);
    const Case of = make_case(variation.spec, variation.set);
    const CheckReport report = check_kernel(of, run_variation(of, variation.edges, variation.accumulation));
    CaseSpec shown = variation.spec;
    shown.data = {variation.set};
    const std::string what =
        to_line(shown) + " computed as " + schedule_of(of, variation.edges).name + ", " + variation.accumulation;
    ASSERT_FALSE(of_kernel(report).empty()) << what;
    EXPECT_NE(kernel_status(report), Status::fail) << what << "\n" << failures(report);
    // In f32 the schedules differ by less than their limits, and a cheaper one may stand for the true one.
    if (variation.spec.dtype != DType::f32) {
      EXPECT_TRUE(is_explained_by(report, schedule_of(of, variation.edges).name))
          << what << ": explained by " << ::testing::PrintToString(report.sets.front().explained_by);
    }
    count_flips(report, variation, table);
  }
  if (std::getenv("FUSECHECK_TABLE") != nullptr) print(op, table);
}

// y from the accumulator, and one dconv in storage type for the rest of the backward: put together from the outputs of
// other schedules, each of which disagrees with some of them in 16 bits.
void expect_stored_backward_explained(const std::vector<std::string>& from_epilogue, const std::string& recipe) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const DType dtype : {DType::f16, DType::bf16}) {
      CaseSpec spec = small_shapes()[seed % small_shapes().size()];
      const std::vector<std::string> ops = {"ConvBn", "ConvBnRelu", "ConvBnAdd", "ConvBnAddRelu", "ConvBnReluAdd"};
      spec.op = ops[seed % ops.size()];
      spec.dtype = dtype;
      spec.seed = seed;
      spec.bias = true;
      const Case of = make_case(spec, DataSet::random);
      Tensors outputs = run_variation(of, {"conv_stored"}, "sequential");
      for (const auto& [name, tensor] : only(run_variation(of, {"epilogue"}, "reversed"), from_epilogue)) {
        outputs[name] = tensor;
      }
      const CheckReport report = check_kernel(of, outputs);
      EXPECT_NE(kernel_status(report), Status::fail) << to_line(of.spec) << "\n" << failures(report);
      EXPECT_EQ(report.sets.front().explained_by, std::vector<std::string>{recipe}) << to_line(of.spec);
    }
  }
}

TEST(StoredBackward, with_the_identity_is_dconv_stored) {
  expect_stored_backward_explained({"y", "dgamma", "dbeta"}, "dconv_stored");
}
TEST(StoredBackward, with_the_stored_convolution_is_conv_saved) {
  expect_stored_backward_explained({"y"}, "conv_saved");
}

// Training by scale and shift, where our kernel centres and scales:
//   y = conv·a + (beta - a·mean),  a = gamma·rstd
//   dconv = dy·a + (conv·q - (a·dbeta/n + q·mean)),  q = -a·rstd·dgamma/n
Recipe scale_and_shift() {
  using namespace family;
  Recipe recipe;
  recipe.name = "epilogue";
  recipe.forward = [](Kernel& k, Io& io) {
    const Value conv = k.conv2d(io["x"], io["w"], io.optional("b"), conv2d_geometry(io.attrs()));
    io.save("conv", conv);
    const Statistics bn = batch_statistics(k, io, conv);
    const Value a = k.mul(io["gamma"], bn.rstd);
    const Value shift = k.sub(io["beta"], k.mul(a, bn.mean));
    io.out("y", k.add(k.mul(conv, per_channel(k, a, conv)), per_channel(k, shift, conv)));
  };
  recipe.backward = [](Kernel& k, Io& io) {
    const Value &dy = io["dy"], &conv = io["conv"], &mean = io["saved_mean"], &rstd = io["saved_rstd"];
    const Value n = k.constant(channel_count(dy));
    const Value dbeta = channel_sum(k, dy);
    // Σ dy·(conv - mean)·rstd as (Σ dy·conv - mean·dbeta)·rstd loses digits; the sum over the centred is the usual one.
    const Value dgamma = k.mul(channel_sum(k, k.mul(dy, k.sub(conv, per_channel(k, mean, conv)))), rstd);
    io.out("dbeta", dbeta);
    io.out("dgamma", dgamma);
    const Value a = k.mul(io["gamma"], rstd);
    const Value q = k.unary(Unary::negate, k.div(k.mul(k.mul(a, rstd), dgamma), n));
    const Value shift = k.add(k.div(k.mul(a, dbeta), n), k.mul(q, mean));
    const Value rest = k.sub(k.mul(conv, per_channel(k, q, conv)), per_channel(k, shift, conv));
    const Value dconv = k.operand("dconv", k.add(k.mul(dy, per_channel(k, a, dy)), rest));
    io.out("dx", k.conv2d_data_gradient(dconv, io["w"], io["x"].shape, conv2d_geometry(io.attrs())));
    io.out("dw", k.conv2d_weight_gradient(io["x"], dconv, io["w"].shape, conv2d_geometry(io.attrs())));
  };
  return recipe;
}

TEST(OtherAlgebra, scale_and_shift_in_training_passes_whole_and_alone) {
  const Recipe recipe = scale_and_shift();
  for (std::uint64_t i = 0; i < runs(); ++i) {
    CaseSpec spec = small_shapes()[i % small_shapes().size()];
    spec.op = "ConvBn";
    spec.dtype = std::array{DType::f16, DType::bf16, DType::f32}[i % 3];
    spec.seed = i + 1;
    spec.attrs.set("bn", {1});
    const Case of = make_case(spec, i % 2 == 0 ? DataSet::random : DataSet::stress);
    run::Schedule schedule = run::find_schedule(of.context, "epilogue", {});
    schedule.recipe = &recipe;
    const Tensors outputs = emulate(of, schedule, of.inputs, parse_model(i % 5 < 2 ? "ieee" : "ieee/split_k:4"));
    const CheckReport whole = check_kernel(of, outputs);
    EXPECT_NE(kernel_status(whole), Status::fail) << to_line(of.spec) << "\n" << failures(whole);
    for (const char* output : {"y", "dx", "dw"}) {
      const CheckReport alone = check_kernel(of, only(outputs, {output}));
      EXPECT_NE(kernel_status(alone), Status::fail) << to_line(of.spec) << "\n" << failures(alone);
    }
  }
}

// K = 576 terms of one sign: 72 steps of 8 products, each cut by half an ulp of the partial sum on average, drift by
// about 36 u·S, all the same way. No order that rounds to nearest does that.
TEST(MatrixUnit, is_explained_as_truncating) {
  const CaseSpec spec = parse_case("ConvRelu/f32/x=1x64x8x8/oc=20/random/s1/fwd");
  Case of = make_case(spec, DataSet::random);
  for (const char* name : {"x", "w"}) {
    std::vector<double> values = of.inputs.at(name).doubles();
    for (double& value : values) value = std::abs(value);
    of.given[name] = Tensor::from(DType::f32, of.inputs.at(name).shape(), std::span<const double>(values));
  }
  of = make_case(spec, DataSet::random, of.given);
  for (const char* unit : {"mma:8,24", "mma:16,25"}) {
    const CheckReport report = check_kernel(of, run_variation(of, {"epilogue"}, unit));
    EXPECT_NE(kernel_status(report), Status::fail) << failures(report);
    const DataSetReport& set = report.sets.front();
    ASSERT_FALSE(set.explained_by.empty());
    for (const std::string& name : set.explained_by) EXPECT_NE(name.find(" with mma:"), std::string::npos) << name;
    EXPECT_TRUE(std::any_of(set.notes.begin(), set.notes.end(), [](const std::string& note) {
      return note.find("truncating accumulator") != std::string::npos;
    }));
  }
}

INSTANTIATE_TEST_SUITE_P(Op, LegalVariations,
                         ::testing::Values("ConvRelu", "ConvBn", "ConvBnRelu", "ConvAdd", "ConvAddRelu", "ConvBnAdd",
                                           "ConvBnAddRelu", "ConvBnReluAdd"),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace fusecheck::testing
