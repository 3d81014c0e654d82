// Every mistake fails, on the output that it spoils, with that output given alone; where the mistake is local, the text
// names the place. The right kernel passes in every case that is used here. FUSECHECK_RUNS, whatever its value: five
// seeds in place of one.
#include "wrong_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace fusecheck::testing {
namespace {

struct Mistake {
  std::string name;
  std::string case_line;  // of one data set
  WrongKernel kernel;
  std::vector<std::string> spoils;
  std::string place = {};  // what the text says of where it is; empty: all over
};

// 20 channels are one full block of 16 and a tail; two images, no two sizes alike.
const std::string plain = "x=2x20x9x7/bias,oc=20";
const std::string infer = "ConvBnRelu/DTYPE/" + plain;
const std::string train = "ConvBn/DTYPE/x=2x20x9x7/bn=train,oc=20";

double zero(const Case&, std::int64_t) { return 0; }
WrongKernel none(const std::string& input) { return with_input(input, zero); }

// beta + what is to be added to y in front of the tail, which scales what comes before by s.
WrongKernel beta_plus(std::function<double(const Case&, std::int64_t)> extra) {
  return with_input("beta", [=](const Case& of, std::int64_t c) { return of.inputs.at("beta").at(c) + extra(of, c); });
}

WrongKernel swapped_inputs(const std::string& a, const std::string& b) {
  return [=](const Case& of) {
    Tensors inputs = of.inputs;
    std::swap(inputs.at(a), inputs.at(b));
    return outputs_of(of.context, inputs);
  };
}

WrongKernel with_mask_of(std::function<bool(const Tensors& outputs, const Case& of, std::int64_t i)> positive) {
  return [=](const Case& of) {
    const Tensors outputs = right(of);
    Values mask(static_cast<std::size_t>(outputs.at("y").size()));
    for (std::size_t i = 0; i < mask.size(); ++i) {
      mask[i] = positive(outputs, of, static_cast<std::int64_t>(i)) ? 1 : 0;
    }
    Tensors inputs = of.inputs;
    inputs["mask"] = Tensor::from(DType::boolean, outputs.at("y").shape(), std::span<const double>(mask));
    return outputs_of(of.context, inputs);
  };
}

std::vector<Mistake> folding() {
  const std::string stress = infer + "/stress";
  const std::string random = infer + "/random";
  return {
      {"eps_dropped", stress, with_number("eps", 0), {"y", "dx", "dw", "dgamma"}},
      {"eps_1e-3_for_1e-5", stress, with_number("eps", 1e-3), {"y", "dx", "dw", "dgamma"}},
      {"eps_1e-5_for_1e-3", infer + ",eps=1e-3/stress", with_number("eps", 1e-5), {"y", "dx", "dw", "dgamma"}},
      // b' = b + beta - s·mean: b moves from in front of the scale to behind it
      {"bias_unscaled",
       random,
       beta_plus([](const Case& of, std::int64_t c) { return (1 - scale_of(of, c)) * of.inputs.at("b").at(c); }),
       {"y"}},
      {"bias_dropped", random, none("b"), {"y", "dgamma"}},
      {"mean_dropped", random, none("mean"), {"y", "dgamma"}},
      {"beta_dropped", random, none("beta"), {"y"}},
      {"gamma_and_beta_swapped", random, swapped_inputs("gamma", "beta"), {"y", "dx", "dw"}},
      // sqrt(var' + eps) = var + eps
      {"variance_without_root",
       random,
       with_input("var",
                  [](const Case& of, std::int64_t c) {
                    const double eps = of.context.attrs.number("eps"), v = of.inputs.at("var").at(c) + eps;
                    return v * v - eps;
                  }),
       {"y", "dx", "dw", "dgamma"}},
      // x scaled by channel, the filters not: s = 1 and t = beta + s·(b - mean) as it should be
      {"scale_on_the_input_channels",
       random,
       [](const Case& of) {
         Tensors inputs = of.inputs;
         Values x = inputs.at("x").doubles(), beta, ones;
         for (std::size_t i = 0; i < x.size(); ++i) {
           x[i] *= scale_of(of, along(inputs.at("x").shape(), 1, static_cast<std::int64_t>(i)));
         }
         for (std::int64_t c = 0; c < inputs.at("beta").size(); ++c) {
           beta.push_back(of.inputs.at("beta").at(c) +
                          scale_of(of, c) * (of.inputs.at("b").at(c) - of.inputs.at("mean").at(c)));
           ones.push_back(std::sqrt(of.inputs.at("var").at(c) + of.context.attrs.number("eps")));
         }
         inputs["x"] = with_values(inputs.at("x"), x);
         inputs["beta"] = with_values(inputs.at("beta"), beta);
         inputs["gamma"] = with_values(inputs.at("gamma"), ones);
         const Values zeros(beta.size(), 0);
         inputs["b"] = with_values(inputs.at("b"), zeros);
         inputs["mean"] = with_values(inputs.at("mean"), zeros);
         return outputs_of(of.context, inputs);
       },
       {"y"}},
      {"statistics_of_the_batch_at_inference",
       random,
       [](const Case& of) {
         CaseSpec spec = of.spec;
         spec.attrs.set("bn", {1});
         return outputs_of(run::make_context(spec), of.inputs);
       },
       {"y", "dx", "dw", "dgamma"}},
      {"batch_norm_after_relu",
       random,
       [](const Case& of) {
         CaseSpec spec = of.spec;
         spec.op = "ConvRelu";
         spec.attrs = {};
         spec.attrs.set("oc", {20});
         spec.passes = Passes::forward;
         Tensors conv = {{"x", of.inputs.at("x")}, {"w", of.inputs.at("w")}, {"b", of.inputs.at("b")}};
         Tensor y = outputs_of(run::make_context(spec), conv).at("y");
         Values values = y.doubles();
         for (std::size_t i = 0; i < values.size(); ++i) {
           const std::int64_t c = along(y.shape(), 1, static_cast<std::int64_t>(i));
           values[i] = scale_of(of, c) * (values[i] - of.inputs.at("mean").at(c)) + of.inputs.at("beta").at(c);
         }
         return Tensors{{"y", stored(y, values)}};
       },
       {"y"}},
  };
}

std::vector<Mistake> statistics() {
  const std::string random = train + "/random";
  return {
      // rstd from n-1: smaller by about sqrt((n-1)/n), n = 2·9·7
      {"unbiased_variance_in_normalise",
       random,
       with_input("gamma", [](const Case& of,
                              std::int64_t c) { return of.inputs.at("gamma").at(c) * std::sqrt(125.0 / 126.0); }),
       {"y"}},
      {"momentum_swapped", random, with_number("momentum", 0.9), {"running_mean", "running_var"}},
      // (1-m)·old + m·v in place of m·v·n/(n-1)
      {"biased_running_variance",
       random,
       [](const Case& of) {
         Tensors outputs = right(of);
         Values values;
         for (std::int64_t c = 0; c < outputs.at("running_var").size(); ++c) {
           const double old = 0.9 * of.inputs.at("var").at(c);
           values.push_back(old + (outputs.at("running_var").at(c) - old) * 125 / 126);
         }
         outputs["running_var"] = stored(outputs.at("running_var"), values);
         return outputs;
       },
       {"running_var"}},
      {"running_statistics_not_updated",
       random,
       [](const Case& of) {
         Tensors outputs = right(of);
         outputs["running_mean"] = of.inputs.at("mean");
         outputs["running_var"] = of.inputs.at("var");
         return outputs;
       },
       {"running_mean", "running_var"}},
      {"running_statistics_in_training",
       random,
       [](const Case& of) {
         CaseSpec spec = of.spec;
         spec.attrs.set("bn", {0});
         return outputs_of(run::make_context(spec), of.inputs);
       },
       {"y", "dx", "dw", "dgamma"}},
      {"gradient_without_its_mean_term", random, training_gradient(0, 1), {"dx", "dw"}},
      {"gradient_without_its_xhat_term", random, training_gradient(1, 0), {"dx", "dw"}},
      {"gradient_as_at_inference", random, training_gradient(0, 0), {"dx", "dw"}},
  };
}

std::vector<Mistake> geometry() {
  const std::string odd = "ConvRelu/DTYPE/x=2x20x11x11/ATTR,oc=20/random";
  const auto with = [&](const std::string& attr) { return std::string(odd).replace(odd.find("ATTR"), 4, attr); };
  // Group 0's channels for every group: c mod (20/4).
  const auto first_group = [](const std::string& input) {
    return with_input(input, [=](const Case& of, std::int64_t i) {
      const Shape& shape = of.inputs.at(input).shape();
      const std::int64_t plane = shape[2] * shape[3];
      const std::int64_t c = along(shape, 1, i);
      return of.inputs.at(input).at(i - (c - c % 5) * plane);
    });
  };
  // Filters turned around both axes of the kernel, and read as c, oc in place of oc, c.
  const auto flipped =
      with_input("w", [](const Case& of, std::int64_t i) { return of.inputs.at("w").at(i - i % 9 + 8 - i % 9); });
  const auto transposed = with_input("w", [](const Case& of, std::int64_t i) {
    return of.inputs.at("w").at((i / 9 % 20 * 20 + i / 180) * 9 + i % 9);
  });
  return {
      {"pads_swapped", with("pad=0x1x2x1"), with_attr("pad", {2, 1, 0, 1}), {"y"}},
      {"pads_left_and_right_swapped", with("pad=1x0x1x2"), with_attr("pad", {1, 2, 1, 0}), {"y"}},
      {"strides_swapped", with("pad=1,stride=2x1"), with_attr("stride", {1, 2}), {"y"}},
      {"dilation_ignored", with("dilation=2x1,pad=2"), with_attr("dilation", {1, 1}), {"y"}},
      {"group_offset_of_x", with("groups=4"), first_group("x"), {"y", "dw"}, "c in [5,20)"},
      {"group_offset_of_residual",
       "ConvAdd/DTYPE/x=2x20x9x7/groups=4,oc=20/random",
       first_group("residual"),
       {"y"},
       "c in [5,20)"},
      {"kernel_flipped", with("pad=1"), flipped, {"y", "dx"}},
      {"filters_transposed", with("pad=1"), transposed, {"y", "dx"}},
  };
}

std::vector<Mistake> tails() {
  constexpr double poison = std::numeric_limits<double>::quiet_NaN();
  const std::string random = infer + "/random";
  const auto unwritten = [](const std::string& output, std::size_t axis, std::int64_t from, double value) {
    return written(output, [=](const Tensors& outputs, const Shape& shape, std::int64_t i) {
      return along(shape, axis, i) >= from ? value : outputs.at(output).at(i);
    });
  };
  // One input's element is left out of the sums.
  const auto without = [](const std::string& input, std::function<bool(std::int64_t)> drop) {
    return with_input(input, [=](const Case& of, std::int64_t i) { return drop(i) ? 0 : of.inputs.at(input).at(i); });
  };
  return {
      {"tail_channels_unwritten", random, unwritten("y", 1, 16, poison), {"y"}, "c in [16,20)"},
      {"tail_channels_zero", random, unwritten("y", 1, 16, 0), {"y"}, "c in [16,20)"},
      {"tail_channels_of_dx_unwritten", random, unwritten("dx", 1, 16, poison), {"dx"}, "c in [16,20)"},
      {"tail_filters_of_dw_zero", random, unwritten("dw", 0, 16, 0), {"dw"}, "oc in [16,20)"},
      {"last_column_unwritten", random, unwritten("y", 3, 6, poison), {"y"}, "last column only"},
      {"last_row_of_dx_zero", random, unwritten("dx", 2, 8, 0), {"dx"}, "last row only"},
      {"second_image_unwritten", random, unwritten("y", 0, 1, poison), {"y"}, "batch 1 only"},
      {"second_image_is_the_first",
       random,
       written("y", [](const Tensors& outputs, const Shape& shape,
                       std::int64_t i) { return outputs.at("y").at(i % (element_count(shape) / shape[0])); }),
       {"y"},
       "batch 1 only"},
      {"dw_of_the_first_image", random, without("dy", [](std::int64_t i) { return i >= 20 * 9 * 7; }), {"dw", "dbeta"}},
      // K = 180: (c, kh, kw) = (19, 2, 2) for y, (oc, kh, kw) for dx, the last pixel for dw
      {"last_term_of_y_dropped", random, without("w", [](std::int64_t i) { return i % 180 == 179; }), {"y"}},
      {"last_term_of_dx_dropped",
       random,
       without("w", [](std::int64_t i) { return i / 180 == 19 && i % 9 == 8; }),
       {"dx"}},
      {"last_block_of_dw_dropped", random, without("dy", [](std::int64_t i) { return i % 63 >= 56; }), {"dw"}},
      {"zeros",
       random,
       [](const Case& of) {
         Tensors outputs = right(of);
         for (auto& [name, tensor] : outputs) tensor = Tensor(tensor.dtype(), tensor.shape());
         return outputs;
       },
       {"y", "dx", "dw", "db", "dgamma", "dbeta"}},
  };
}

std::vector<Mistake> residuals_and_masks() {
  const auto line = [](const std::string& op) { return op + "/DTYPE/" + plain + "/random"; };
  const WrongKernel no_mask = with_mask_of([](const Tensors&, const Case&, std::int64_t) { return true; });
  return {
      {"residual_dropped", line("ConvBnAddRelu"), none("residual"), {"y"}},
      {"residual_after_relu", line("ConvBnAddRelu"), of_op("ConvBnReluAdd"), {"y", "dresidual"}},
      {"residual_before_relu", line("ConvBnReluAdd"), of_op("ConvBnAddRelu"), {"y", "dresidual"}},
      // gamma·(conv + residual - mean)·rstd + beta
      {"residual_before_batch_norm",
       line("ConvBnAdd"),
       with_input("residual",
                  [](const Case& of, std::int64_t i) {
                    const Tensor& residual = of.inputs.at("residual");
                    return scale_of(of, along(residual.shape(), 1, i)) * residual.at(i);
                  }),
       {"y"}},
      {"mask_of_y_with_its_residual",
       line("ConvBnReluAdd"),
       with_mask_of([](const Tensors& outputs, const Case&, std::int64_t i) { return outputs.at("y").at(i) > 0; }),
       {"dx", "dw", "dgamma", "dbeta"}},
      {"mask_of_dy",
       line("ConvBnRelu"),
       with_mask_of([](const Tensors&, const Case& of, std::int64_t i) { return of.inputs.at("dy").at(i) > 0; }),
       {"dx", "dw", "dgamma", "dbeta"}},
      {"no_mask", line("ConvBnAddRelu"), no_mask, {"dx", "dw", "dgamma", "dbeta", "dresidual"}},
      {"dgamma_and_dbeta_swapped",
       line("ConvBnRelu"),
       [](const Case& of) {
         Tensors outputs = right(of);
         std::swap(outputs.at("dgamma"), outputs.at("dbeta"));
         return outputs;
       },
       {"dgamma", "dbeta"}},
      {"dresidual_missing",
       line("ConvBnReluAdd"),
       written("dresidual", [](const Tensors&, const Shape&, std::int64_t) { return 0.0; }),
       {"dresidual"}},
      {"dw_averaged_over_images",
       line("ConvBnRelu"),
       written("dw", [](const Tensors& outputs, const Shape&, std::int64_t i) { return outputs.at("dw").at(i) / 2; }),
       {"dw"}},
      {"dx_scaled_by_1.01",
       line("ConvBnRelu"),
       written("dx",
               [](const Tensors& outputs, const Shape&, std::int64_t i) { return outputs.at("dx").at(i) * 1.01; }),
       {"dx"}},
      {"dx_negated",
       line("ConvRelu"),
       written("dx", [](const Tensors& outputs, const Shape&, std::int64_t i) { return -outputs.at("dx").at(i); }),
       {"dx"}},
  };
}

std::string in_type(std::string line, const std::string& dtype) { return line.replace(line.find("DTYPE"), 5, dtype); }

std::uint64_t seeds() { return std::getenv("FUSECHECK_RUNS") == nullptr ? 1 : 5; }

class WrongKernels : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_caught(const std::vector<Mistake>& mistakes) const {
    std::set<std::string> right_passes;
    for (const Mistake& mistake : mistakes) {
      for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        const std::string line = in_type(mistake.case_line, GetParam()) + "/s" + std::to_string(seed);
        const CaseSpec spec = parse_case(line);
        const Case of = make_case(spec, spec.data.front());
        if (right_passes.insert(line).second) {
          const CheckReport fine = check_kernel(of, right(of));
          ASSERT_NE(kernel_status(fine), Status::fail) << "the right kernel, " << line << "\n" << failures(fine);
        }
        const Tensors outputs = mistake.kernel(of);
        for (const std::string& output : mistake.spoils) {
          const CheckReport report = check_kernel(of, only(outputs, {output}));
          EXPECT_EQ(kernel_status(report), Status::fail)
              << mistake.name << " is not seen in " << output << ", " << line;
          if (kernel_status(report) != Status::fail) continue;
          EXPECT_NE(failures(report).find(mistake.place), std::string::npos)
              << mistake.name << ", " << line << ": '" << mistake.place << "' is not in\n"
              << failures(report);
        }
      }
    }
  }
};

TEST_P(WrongKernels, folding) { expect_caught(folding()); }
TEST_P(WrongKernels, statistics) { expect_caught(statistics()); }
TEST_P(WrongKernels, geometry) { expect_caught(geometry()); }
TEST_P(WrongKernels, tails) { expect_caught(tails()); }
TEST_P(WrongKernels, residuals_and_masks) { expect_caught(residuals_and_masks()); }

INSTANTIATE_TEST_SUITE_P(Type, WrongKernels, ::testing::Values("f16", "bf16", "f32"),
                         [](const auto& type) { return type.param; });

// What the three mistakes in the gradient are made from is right without them.
TEST(TrainingGradient, passes_with_both_terms) {
  for (const char* dtype : {"f16", "f32"}) {
    const CaseSpec spec = parse_case(in_type(train + "/random/s1", dtype));
    const Case of = make_case(spec, DataSet::random);
    const CheckReport report = check_kernel(of, training_gradient(1, 1)(of));
    EXPECT_NE(kernel_status(report), Status::fail) << failures(report);
  }
}

// A relu that gives 0 for NaN hides what went wrong before it. x[0] reaches the outputs (0, every channel, 0..1, 0..1).
TEST(SwallowedNan, fails_where_the_nan_belongs) {
  const CaseSpec spec = parse_case("ConvBnRelu/f16/x=2x20x9x7/oc=20/random/s1");
  Case of = make_case(spec, DataSet::random);
  Values x = of.inputs.at("x").doubles();
  x[0] = std::numeric_limits<double>::quiet_NaN();
  of = make_case(spec, DataSet::random, {{"x", stored(of.inputs.at("x"), x)}});
  Tensors outputs = right(of);
  EXPECT_NE(kernel_status(check_kernel(of, only(outputs, {"y"}))), Status::fail);
  Values y = outputs.at("y").doubles();
  for (double& value : y) value = value == value ? value : 0;
  const CheckReport report = check_kernel(of, {{"y", stored(outputs.at("y"), y)}});
  ASSERT_EQ(kernel_status(report), Status::fail);
  EXPECT_EQ(of_kernel(report).front().judgement.nonfinite_mismatch, 20 * 2 * 2);
}

// E[x²] - mean² on a convolution whose mean is a hundred times its standard deviation: declared, it is a recipe;
// undeclared it fails, and the report offers the declaration.
TEST(OnePassVariance, fails_until_it_is_declared) {
  CaseSpec spec = parse_case("ConvBn/f32/x=2x20x9x7/bn=train,kernel=1,oc=20/random/s1");
  Case of = make_case(spec, DataSet::random);
  Values x = of.inputs.at("x").doubles();
  for (double& value : x) value = 512 + value;
  of = make_case(spec, DataSet::random, {{"x", stored(of.inputs.at("x"), x)}});
  const Tensors outputs = emulate(of, run::find_schedule(of.context, "one_pass", {}), of.inputs);
  const CheckReport undeclared = check_kernel(of, outputs);
  EXPECT_EQ(kernel_status(undeclared), Status::fail);
  const auto& nearest = undeclared.sets.front().nearest;
  EXPECT_TRUE(std::any_of(nearest.begin(), nearest.end(), [](const DataSetReport::Nearest& n) {
    return n.schedule == "one_pass" && n.lossy && n.outside == 0;
  }));
  of.spec.recipe = "one_pass";
  const CheckReport declared = check_kernel(of, outputs);
  EXPECT_NE(kernel_status(declared), Status::fail) << failures(declared);
}

}  // namespace
}  // namespace fusecheck::testing
