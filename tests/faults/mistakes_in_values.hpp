// What a mistake is, and those in the algebra of a fused op: constants, folding, statistics, the training gradient.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "wrong_kernels.hpp"

namespace fusecheck::testing {

struct Mistake {
  std::string name;
  std::string case_line;  // of one data set
  WrongKernel kernel;
  std::vector<std::string> spoils;
  std::string place = {};  // what the text says of where it is; empty: all over
};

// 20 channels are one full block of 16 and a tail; two images, no two sizes alike.
inline const std::string plain = "x=2x20x9x7/bias,oc=20";
inline const std::string infer = "ConvBnRelu/DTYPE/" + plain;
inline const std::string train = "ConvBn/DTYPE/x=2x20x9x7/bn=train,oc=20";

inline double zero(const Case&, std::int64_t) { return 0; }
inline WrongKernel none(const std::string& input) { return with_input(input, zero); }

// beta + what is to be added to y in front of the tail, which scales what comes before by s.
inline WrongKernel beta_plus(std::function<double(const Case&, std::int64_t)> extra) {
  return with_input("beta", [=](const Case& of, std::int64_t c) { return of.inputs.at("beta").at(c) + extra(of, c); });
}

inline WrongKernel swapped_inputs(const std::string& a, const std::string& b) {
  return [=](const Case& of) {
    Tensors inputs = of.inputs;
    std::swap(inputs.at(a), inputs.at(b));
    return outputs_of(of.context, inputs);
  };
}

inline std::vector<Mistake> folding() {
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

inline std::vector<Mistake> statistics() {
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

}  // namespace fusecheck::testing
