// Worked examples that the Conv (+BN) fusions share up to z, where each op's tail begins; every op's test states what
// its own tail makes of them. Small integers and powers of two: no recipe rounds anywhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/op_run.hpp"

namespace fusecheck::testing {

// 1x1 convolution of one element: conv = 3·2 + 1 = 7 = z.
inline OpExample conv_example(const std::string& op, double w, double dy) {
  return {.op = op,
          .shapes = {{"x", {1, 1, 1, 1}}},
          .attrs = {{"kernel", {1}}},
          .inputs = {{"x", {3}}, {"w", {w}}, {"b", {1}}, {"dy", {dy}}}};
}

// Inference, the example of family/conv_bn.hpp: conv = 3·2 = 6, mean = 2, var = 4 and eps = 0: rstd = 1/2, gamma = 4:
// s = 2, z = 2·(6 - 2) + beta. With g = dz: h = x·g = 3g, dx = s·w·g = 4g, dw = s·h = 6g, dbeta = g, dgamma =
// (w·h - mean·g)·rstd = 2g. dy = 1.
inline OpExample infer_example(const std::string& op, double beta) {
  return {
      .op = op,
      .shapes = {{"x", {1, 1, 1, 1}}},
      .attrs = {{"kernel", {1}}, {"eps", {0}}},
      .inputs = {{"x", {3}}, {"w", {2}}, {"gamma", {4}}, {"beta", {beta}}, {"mean", {2}}, {"var", {4}}, {"dy", {1}}}};
}

// Training: x = [0,0,0,2], w = 2, b = 1: conv = [1,1,1,5], mu = 2, v = (1 + 1 + 1 + 9)/4 = 3, eps = 1: rstd = 1/2 and
// xhat = [-1,-1,-1,3]/2; gamma = 2, beta = 1: z = 2·xhat + 1 = [0,0,0,4]. Momentum 1/4, the unbiased variance 3·4/3 =
// 4: running_mean = 3/4·8 + 1/4·2, running_var = 3/4·8 + 1/4·4. dy = [4,0,0,4].
inline OpExample train_example(const std::string& op) {
  return {.op = op,
          .shapes = {{"x", {1, 1, 1, 4}}},
          .attrs = {{"kernel", {1}}, {"eps", {1}}, {"momentum", {0.25}}, {"bn", {1}}},
          .inputs = {{"x", {0, 0, 0, 2}},
                     {"w", {2}},
                     {"b", {1}},
                     {"gamma", {2}},
                     {"beta", {1}},
                     {"mean", {8}},
                     {"var", {8}},
                     {"dy", {4, 0, 0, 4}}}};
}

inline Numbers train_statistics() {
  return {{"conv", {1, 1, 1, 5}},
          {"saved_mean", {2}},
          {"saved_rstd", {0.5}},
          {"running_mean", {6.5}},
          {"running_var", {7}}};
}

// Gradients of train_example where dz is all of dy: dbeta = 8, dgamma = -1/2·4 + 3/2·4 = 4, s = gamma·rstd = 1;
// dconv = dz - 8/4 - xhat·4/4 = [4,0,0,4] - 2 + [1,1,1,-3]/2 = [5,-3,-3,1]/2; dx = 2·dconv, dw = x_3·dconv_3, db = 0.
inline Numbers train_gradients_of_dy() {
  return {{"dbeta", {8}}, {"dgamma", {4}}, {"dx", {5, -3, -3, 1}}, {"dw", {1}}, {"db", {0}}};
}

// Gradients of train_example where a relu follows z = [0,0,0,4], whose derivative at 0 is 0: dz = [0,0,0,4], dbeta = 4,
// dgamma = 6; dconv = dz - 1 - xhat·6/4 = [-1,-1,-1,3]/4; dx = 2·dconv, dw = x_3·dconv_3, db = 0.
inline Numbers train_gradients_behind_relu() {
  return {{"dbeta", {4}}, {"dgamma", {6}}, {"dx", {-0.5, -0.5, -0.5, 1.5}}, {"dw", {1.5}}, {"db", {0}}};
}

inline OpExample with(OpExample example, const std::string& input, std::vector<double> values) {
  example.inputs[input] = std::move(values);
  return example;
}

inline Numbers together(Numbers a, const Numbers& b) {
  a.insert(b.begin(), b.end());
  return a;
}

}  // namespace fusecheck::testing
