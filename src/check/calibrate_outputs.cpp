// J7 where errors pass through statistics: an interval adds up what in a real kernel cancels (the mean of n rounding
// errors is far below their bound), so its half-width predicts far more flips than any legal order has. There the whole
// schedule runs under other legal orders, and what they show takes the place of that prediction.
#include <algorithm>
#include <cmath>

#include "check/stage.hpp"

namespace fusecheck {
namespace {

// A legal kernel may also use other algebra than ours (scale and shift for centre and scale): room for errors of that
// size on top of the factor 3 of J7.
constexpr double room = 4;

// Shares of the half-width that one run's errors are, and what they are once stored.
struct Shares {
  double typical = 0, bias = 0, rms = 0;
  double flips = 0, stored_rms = 0;  // as in WholeRuns
};

Shares shares_of(const Expected& expected, const std::vector<float>& values, const RoundingRule& store) {
  Shares total;
  double count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double half = expected.half_width[i], value = static_cast<double>(values[i]);
    const double error = value - expected.exact[i];
    if (!(half > 0) || !std::isfinite(half) || !std::isfinite(error)) continue;
    const double share = std::clamp(error / half, -1.0, 1.0);
    total.typical += std::fabs(share);
    total.bias += share;
    total.rms += share * share;
    const double flip = round_to(expected.dtype, value, store) - expected.truth[i];
    if (flip != 0) {
      const double scaled = flip / (half + ulp(expected.dtype, expected.truth[i]));
      total.flips += 1;
      total.stored_rms += scaled * scaled;
    }
    ++count;
  }
  if (count == 0) return {};
  return {total.typical / count, std::fabs(total.bias) / count, std::sqrt(total.rms / count), total.flips / count,
          std::sqrt(total.stored_rms / count)};
}

Shares larger(const Shares& a, const Shares& b) {
  return {std::max(a.typical, b.typical), std::max(a.bias, b.bias), std::max(a.rms, b.rms), std::max(a.flips, b.flips),
          std::max(a.stored_rms, b.stored_rms)};
}

// One element of dconv enters the filter of its channel, or the taps around its place in the channels of its group.
double reach_of(const run::Context& context, const std::string& output, const Shape& shape) {
  if (output == "dw") return 1 / static_cast<double>(shape[0]);
  if (!context.attrs.has("kernel")) return 1 / static_cast<double>(shape[1]);
  double share = context.attrs.has("groups") ? 1 / context.attrs.number("groups") : 1;
  for (const double taps : context.attrs.list("kernel")) share *= taps;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != 1) share /= static_cast<double>(shape[axis]);
  }
  return std::min(1.0, share);
}

}  // namespace

std::vector<NumericModel> legal_models(const NumericModel& model) {
  std::vector<NumericModel> models = {model};
  if (model.sum.kind == SumKind::matrix_unit) {
    models.push_back(model);
    models.back().k_order = model.k_order == KOrder::c_kh_kw ? KOrder::c1_kh_kw_c0 : KOrder::c_kh_kw;
    return models;
  }
  for (const SumKind kind : {SumKind::sequential, SumKind::reversed, SumKind::pairwise, SumKind::block16}) {
    NumericModel other = model;
    other.sum = {kind, 1, {}};
    if (!(other == model)) models.push_back(other);
  }
  return models;
}

void calibrate_outputs(const Stage& stage, const run::Schedule& schedule, const NumericModel& model,
                       run::TruthRun& truth) {
  if (!stage.context.training || model.accumulate != DType::f32) return;
  // No known matrix unit multiplies f32 significands, so such a model runs without vector code: too slow to be run
  // here.
  if (model.sum.kind == SumKind::matrix_unit && stage.context.dtype == DType::f32) return;
  std::map<std::string, Shares, std::less<>> largest;
  for (const NumericModel& legal : legal_models(model)) {
    run::EmulatedMemo memo(stage.memo.execution());
    for (const auto& [name, values] : run::run_unrounded(stage.context, schedule, stage.inputs, legal, memo)) {
      const auto expected = truth.outputs.find(name);
      if (expected == truth.outputs.end()) continue;
      largest[name] = larger(largest[name], shares_of(expected->second, values, legal.store));
    }
  }
  for (const auto& [name, shares] : largest) {
    Expected& expected = truth.outputs.find(name)->second;
    if (expected.shape.size() > 1) {
      expected.whole_runs = {shares.flips, shares.stored_rms, reach_of(stage.context, name, expected.shape)};
    }
    if (shares.typical == 0) continue;
    expected.typical = std::min(expected.typical, room * shares.typical);
    expected.typical_bias = std::min(expected.typical_bias, room * shares.bias);
    expected.typical_rms = std::min(expected.typical_rms, room * shares.rms);
  }
}

}  // namespace fusecheck
