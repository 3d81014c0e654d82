// Losses of precision fail in 20 of 20 seeds, on each contraction output that they touch, judged alone. The ops take
// turns with the seeds; FUSECHECK_RUNS, whatever its value, tries every op with every seed. Data set `random`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "precision_faults.hpp"

namespace fusecheck::testing {
namespace {

constexpr std::uint64_t seeds = 20;

struct OpMode {
  std::string op;
  bool training = false;
};

std::vector<OpMode> convolutions() { return {{"ConvRelu"}, {"ConvAdd"}, {"ConvAddRelu"}}; }
std::vector<OpMode> inference() {
  return {{"ConvBn"}, {"ConvBnRelu"}, {"ConvBnAdd"}, {"ConvBnAddRelu"}, {"ConvBnReluAdd"}};
}
std::vector<OpMode> all_modes() {
  std::vector<OpMode> modes = convolutions();
  for (const OpMode& mode : inference()) {
    modes.push_back(mode);
    modes.push_back({mode.op, true});
  }
  return modes;
}

// x, output channels, and the outputs whose sums have K terms there.
struct Size {
  Shape x;
  double oc = 0;
  std::vector<std::string> outputs;
};

// K of y is c·9, of dx oc·9, of dw n·h·w.
std::vector<Size> sizes_of_576() { return {{{1, 64, 8, 8}, 64, {"y", "dx"}}, {{1, 8, 24, 24}, 8, {"dw"}}}; }
std::vector<Size> sizes_of_4608() {
  return {{{1, 512, 4, 4}, 16, {"y"}}, {{1, 16, 4, 4}, 512, {"dx"}}, {{2, 8, 48, 48}, 8, {"dw"}}};
}

// For f32 cases: K = 144.
std::vector<Size> small_sizes() { return {{{1, 16, 8, 8}, 16, {"y", "dx"}}, {{1, 8, 12, 12}, 8, {"dw"}}}; }

using FaultyKernel = std::function<Tensors(const Case&)>;
run::Schedule schedule(const Case& of, const std::string& recipe) { return run::find_schedule(of.context, recipe, {}); }

Case case_of(const OpMode& mode, DType dtype, const Size& size, std::uint64_t seed) {
  CaseSpec spec;
  spec.op = mode.op;
  spec.dtype = dtype;
  spec.seed = seed;
  spec.shapes["x"] = size.x;
  spec.attrs.set("oc", {size.oc});
  if (mode.training) spec.attrs.set("bn", {1});
  return make_case(spec, DataSet::random);
}

void expect_all_caught(const FaultyKernel& faulty, DType dtype, const std::vector<OpMode>& modes,
                       const std::vector<Size>& sizes) {
  const bool every_op = std::getenv("FUSECHECK_RUNS") != nullptr;
  for (const Size& size : sizes) {
    std::map<std::string, std::uint64_t> caught, tried;
    std::string missed;
    for (std::uint64_t i = 0; i < seeds * (every_op ? modes.size() : 1); ++i) {
      const OpMode& mode = modes[i % modes.size()];
      const Case of = case_of(mode, dtype, size, every_op ? i / modes.size() + 1 : i + 1);
      const Tensors outputs = faulty(of);
      for (const std::string& name : size.outputs) {
        const CheckReport report = check_kernel(of, only(outputs, {name}));
        ++tried[name];
        if (kernel_status(report) == Status::fail) {
          ++caught[name];
        } else {
          missed += to_line(of.spec) + " " + name + " explained by " +
                    ::testing::PrintToString(report.sets.front().explained_by) + "\n";
        }
      }
    }
    EXPECT_EQ(caught, tried) << missed;
  }
}

FaultyKernel by_model(const char* model) {
  return [=](const Case& of) { return emulate(of, schedule(of, "epilogue"), of.inputs, parse_model(model)); };
}

TEST(PrecisionFault, f16_accumulation_over_576_terms) {
  expect_all_caught(by_model("fp16-accumulate"), DType::f16, all_modes(), sizes_of_576());
}

TEST(PrecisionFault, f16_accumulation_over_4608_terms) {
  expect_all_caught(by_model("fp16-accumulate"), DType::f16, all_modes(), sizes_of_4608());
}

TEST(PrecisionFault, split_k_partials_stored_in_f16) {
  const FaultyKernel faulty = [](const Case& of) { return run_wrapped<HalfPartials>(of, schedule(of, "epilogue")); };
  expect_all_caught(faulty, DType::f16, all_modes(), sizes_of_576());
}

TEST(PrecisionFault, truncation_on_store_in_f16) {
  const FaultyKernel faulty = [](const Case& of) { return truncate_on_store(of, schedule(of, "epilogue")); };
  expect_all_caught(faulty, DType::f16, all_modes(), sizes_of_576());
}

TEST(PrecisionFault, truncation_on_store_in_bf16) {
  const FaultyKernel faulty = [](const Case& of) { return truncate_on_store(of, schedule(of, "epilogue")); };
  expect_all_caught(faulty, DType::bf16, all_modes(), sizes_of_576());
}

TEST(PrecisionFault, scale_rounded_to_f16_before_it_is_folded) {
  const FaultyKernel faulty = [](const Case& of) { return run_wrapped<HalfScale>(of, schedule(of, "fold")); };
  expect_all_caught(faulty, DType::f16, inference(), sizes_of_576());
}

TEST(PrecisionFault, operands_rounded_to_bf16_in_f32) {
  const FaultyKernel faulty = [](const Case& of) {
    return emulate(of, schedule(of, "epilogue"), rounded_operands(of, to_bf16));
  };
  expect_all_caught(faulty, DType::f32, all_modes(), small_sizes());
}

TEST(PrecisionFault, operands_rounded_to_tf32_in_f32) {
  const FaultyKernel faulty = [](const Case& of) {
    return emulate(of, schedule(of, "epilogue"), rounded_operands(of, to_tf32));
  };
  expect_all_caught(faulty, DType::f32, all_modes(), small_sizes());
}

TEST(PrecisionFault, folded_weights_rounded_to_bf16_in_f32) {
  const FaultyKernel faulty = [](const Case& of) {
    return emulate(of, run::find_schedule(of.context, "fold", {{"w_folded", "bf16"}}), of.inputs);
  };
  expect_all_caught(faulty, DType::f32, inference(), {small_sizes().front()});
}

// Each output is legal alone, under another schedule.
void expect_mixture_caught(const std::string& first, const std::vector<std::string>& from_first,
                           const std::string& second, const std::vector<std::string>& from_second) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const OpMode mode = inference()[seed % inference().size()];
    const Case of = case_of(mode, DType::f16, {{1, 32, 9, 8}, 20, {}}, seed);
    Tensors mixed = only(emulate(of, schedule(of, first), of.inputs), from_first);
    mixed.merge(only(emulate(of, schedule(of, second), of.inputs), from_second));
    EXPECT_EQ(kernel_status(check_kernel(of, mixed)), Status::fail) << to_line(of.spec);
    for (const auto& [name, tensor] : mixed) {
      EXPECT_NE(kernel_status(check_kernel(of, {{name, tensor}})), Status::fail) << to_line(of.spec) << " " << name;
    }
  }
}

TEST(PrecisionFault, y_from_epilogue_and_dx_from_fold) { expect_mixture_caught("epilogue", {"y"}, "fold", {"dx"}); }
TEST(PrecisionFault, y_from_fold_and_dx_from_epilogue) { expect_mixture_caught("fold", {"y"}, "epilogue", {"dx"}); }
TEST(PrecisionFault, y_from_conv_stored_and_dw_from_epilogue) {
  expect_mixture_caught("conv_stored", {"y"}, "epilogue", {"dw"});
}

TEST(PrecisionFault, half_of_the_channels_from_fold) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const OpMode mode = inference()[seed % inference().size()];
    const Case of = case_of(mode, DType::f16, {{1, 32, 9, 8}, 20, {}}, seed);
    const Tensors epilogue = emulate(of, schedule(of, "epilogue"), of.inputs);
    const Tensors fold = emulate(of, schedule(of, "fold"), of.inputs);
    for (const char* output : {"y", "dx"}) {
      const Tensor mixed = halves(epilogue.at(output), fold.at(output));
      EXPECT_EQ(kernel_status(check_kernel(of, {{output, mixed}})), Status::fail) << to_line(of.spec) << " " << output;
    }
  }
}

// 1 + 2^-10 is the spacing above 1 with ten fraction bits; 1 + 2^-11 lies halfway and goes to the even neighbour 1,
// just above it goes up.
TEST(PrecisionFault, tf32_keeps_ten_fraction_bits) {
  EXPECT_EQ(to_tf32(1 + 0x1p-10), 1 + 0x1p-10);
  EXPECT_EQ(to_tf32(1 + 0x1p-11), 1);
  EXPECT_EQ(to_tf32(1 + 0x1.8p-10), 1 + 0x1p-9);
  EXPECT_EQ(to_tf32(-1 - 0x1.1p-11), -1 - 0x1p-10);
}

}  // namespace
}  // namespace fusecheck::testing
