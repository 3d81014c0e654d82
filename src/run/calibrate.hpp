// How far legal orders of one sum really go, measured on the sum itself (NUMERICS.md J4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/numeric_model.hpp"

namespace fusecheck::run {

// What kind of accumulator a candidate may have: rounds to nearest in any order, or one matrix unit that cuts.
struct Accumulator {
  bool truncating = false;
  MatrixUnit unit = {};  // truncating only
  DType dtype = DType::f32;
  bool operator==(const Accumulator&) const = default;
};
Accumulator accumulator_of(const NumericModel& model);

struct Calibration {
  double c = 0;                           // limit of |error| in units of u·S: min(n, max(8, 3·worst))
  double n = 0;                           // the rigorous limit
  double worst = 0;                       // largest |error|/(u·S) over the orders
  double typical = 0, bias = 0, rms = 0;  // shares of c: largest mean |error|, |mean error|, rms
};

// u of the accumulator: 2^-24 for f32, 2^-11 for f16.
double unit_of(const Accumulator& accumulator);
// Rigorous n of a sum of `terms` products in any order (bias included in the count by the caller).
double rigorous_terms(const Accumulator& accumulator, std::int64_t terms);

// Runs the legal orders on 4,096 Philox-sampled outputs, on more where they take less than 2^21 products. `v` and `s`:
// truth and Σ|terms| of every output.
Calibration calibrate(const engine::Contraction& problem, std::span<const float> a, std::span<const float> b,
                      std::span<const float> bias, std::span<const double> v, std::span<const float> s,
                      const Accumulator& accumulator, const NumericModel& declared, const engine::Execution& execution);

// The same for plain sums: each row of `terms` is one output's terms.
Calibration calibrate_sums(const std::vector<std::vector<float>>& terms, std::int64_t length,
                           const Accumulator& accumulator);

}  // namespace fusecheck::run
