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

// Shares of the half-width that one run's errors are.
struct Shares {
  double typical = 0, bias = 0, rms = 0;
};

Shares shares_of(const Expected& expected, const std::vector<float>& values) {
  double sum = 0;
  double absolute = 0;
  double squares = 0;
  double count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double half = expected.half_width[i];
    const double error = static_cast<double>(values[i]) - expected.exact[i];
    if (!(half > 0) || !std::isfinite(half) || !std::isfinite(error)) continue;
    const double share = std::clamp(error / half, -1.0, 1.0);
    sum += share;
    absolute += std::fabs(share);
    squares += share * share;
    ++count;
  }
  if (count == 0) return {};
  return {absolute / count, std::fabs(sum) / count, std::sqrt(squares / count)};
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
    models.push_back(model);
    models.back().sum = {kind, 1, {}};
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
      const Shares shares = shares_of(expected->second, values);
      Shares& worst = largest[name];
      worst = {std::max(worst.typical, shares.typical), std::max(worst.bias, shares.bias),
               std::max(worst.rms, shares.rms)};
    }
  }
  for (const auto& [name, shares] : largest) {
    Expected& expected = truth.outputs.find(name)->second;
    if (shares.typical == 0) continue;
    expected.typical = std::min(expected.typical, room * shares.typical);
    expected.typical_bias = std::min(expected.typical_bias, room * shares.bias);
    expected.typical_rms = std::min(expected.typical_rms, room * shares.rms);
  }
}

}  // namespace fusecheck
