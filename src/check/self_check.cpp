// The reference checks itself: J2 (recipe against body) and J13 (gradients against central differences).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "check/stage.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck {
namespace {

using Arrays = std::map<std::string, std::vector<double>, std::less<>>;

void fail_output(DataSetReport& report, const std::string& output, const std::string& reason) {
  for (OutputReport& row : report.outputs) {
    if (row.candidate == "fused" && row.output == output) {
      row.judgement.status = Status::fail;
      row.judgement.reason = reason;
    }
  }
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

double root_mean_square(const std::vector<double>& values) {
  const double total = dot(values, values);
  return values.empty() || total == 0 ? 1 : std::sqrt(total / static_cast<double>(values.size()));
}

bool all_finite(const Tensors& inputs) {
  for (const auto& [name, tensor] : inputs) {
    for (const double value : tensor.doubles()) {
      if (!std::isfinite(value)) return false;
    }
  }
  return true;
}

struct Direction {
  Arrays along;  // per differentiable input, of the size of the input's own root mean square
};

Direction draw_direction(const run::Context& context, const Arrays& inputs, std::uint64_t seed) {
  Direction direction;
  for (const Port& port : context.interface.inputs) {
    if (!port.gradient) continue;
    const PhiloxReader rng(Philox(seed, "direction/" + port.name));
    std::vector<double> d(inputs.at(port.name).size());
    const double scale = root_mean_square(inputs.at(port.name));
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = scale * rng.normal(i);
    direction.along[port.name] = std::move(d);
  }
  return direction;
}

Arrays moved(const Arrays& inputs, const Direction& direction, double h) {
  Arrays result = inputs;
  for (const auto& [name, d] : direction.along) {
    std::vector<double>& values = result.at(name);
    for (std::size_t i = 0; i < d.size(); ++i) values[i] += h * d[i];
  }
  return result;
}

// dy is 0 where an element of a mask that it reaches differs between the two sides.
void zero_where_different(const run::Context& context, const Arrays& up, const Arrays& down, const std::string& dy,
                          std::vector<double>& values) {
  for (const Port& port : context.interface.saved) {
    if (context.dtype_of(port.name) != DType::boolean || !up.contains(port.name)) continue;
    const std::vector<double>& above = up.at(port.name);
    const std::vector<double>& below = down.at(port.name);
    const std::vector<std::int64_t> to = reached_dy(context.shapes.at(port.name), context.shapes.at(dy));
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (above[i] != below[i]) values[static_cast<std::size_t>(to[i])] = 0;
    }
  }
}

// |Σ gradient·d - Σ dy·(y(+h) - y(-h))/2h|, relative to Σ|gradient·d| + Σ|dy·y|.
double disagreement(const Direction& direction, const Arrays& gradients, const std::vector<double>& dy,
                    const std::vector<double>& up, const std::vector<double>& down, double h) {
  double analytic = 0;
  double numeric = 0;
  double size = 0;
  for (const auto& [name, d] : direction.along) {
    const std::vector<double>& gradient = gradients.at("d" + name);
    for (std::size_t i = 0; i < d.size(); ++i) {
      analytic += gradient[i] * d[i];
      size += std::fabs(gradient[i] * d[i]);
    }
  }
  for (std::size_t i = 0; i < dy.size(); ++i) {
    numeric += dy[i] * (up[i] - down[i]);
    size += std::fabs(dy[i] * up[i]);
  }
  return size == 0 ? 0 : std::fabs(analytic - numeric / (2 * h)) / size;
}

// A unit that keeps b fraction bits of f32 operands rounds two of them in front of a sum, by 2^-(b+1) in place of
// 2^-24; on no path are there more sums than storage roundings.
double operand_share(const Stage& stage) {
  const int bits = stage.request.spec.model.operand_bits;
  return bits == 0 ? 1 : 1 + 2 * std::ldexp(1, 23 - bits);
}

}  // namespace

// On tensors of the user's a recipe may be ill-conditioned, or its sign open where dy is not 0. That says something of
// these data and not of the algebra, and each candidate is judged by its own recipe's truth: so it is a note there.
// Algebra that is equal over the reals is not with infinities in it: s·conv + (beta - s·mean) is Inf - Inf where
// s·(conv - mean) is Inf. So this speaks of finite inputs only.
void check_budget(Stage& stage, const run::Schedule& schedule, const run::TruthRun& truth) {
  if (!all_finite(stage.inputs)) {
    stage.report.notes.push_back("an input holds NaN or Inf: recipe and body, gradients and differences not compared");
    return;
  }
  run::TruthOptions options;
  options.intervals = false;
  options.magnitudes = true;
  const run::TruthRun body =
      run::run_truth(stage.context, run::plain_body(), stage.loaded, options, stage.memo, stage.context.backward);
  const double budget = (schedule.recipe != nullptr ? schedule.recipe->budget : 0) * operand_share(stage);
  for (const std::string& name : stage.context.output_names()) {
    const std::vector<double>& recipe = truth.outputs.at(name).exact;
    const std::vector<double>& plain = body.outputs.at(name).exact;
    const std::vector<double>& scale = body.magnitudes.at(name);
    double worst = 0;
    for (std::size_t i = 0; i < recipe.size(); ++i) {
      const double apart = std::fabs(recipe[i] - plain[i]);
      // Where the body itself leaves the finite numbers (a variance below 0), nothing can be said.
      if (apart == 0 || !std::isfinite(plain[i]) || !std::isfinite(scale[i])) continue;
      const double units = apart / (unit_roundoff(stage.context.dtype) * scale[i]);
      worst = std::max(worst, std::isfinite(recipe[i]) ? units : std::numeric_limits<double>::infinity());
    }
    stage.report.to_body[name] = worst;
    if (budget == 0 || worst <= budget) continue;
    const std::string what = base::number_text(worst) + " u*S from the body's, budget " + base::number_text(budget);
    if (stage.request.inputs.empty()) {
      fail_output(stage.report, name, "recipe truth is " + what);
    } else {
      stage.report.notes.push_back("on these inputs " + name + " of recipe " + schedule.name + " is " + what);
    }
  }
}

void cost_of_declaration(Stage& stage, const run::TruthRun& declared) {
  run::TruthOptions options;
  options.intervals = false;
  const run::TruthRun body =
      run::run_truth(stage.context, run::plain_body(), stage.loaded, options, stage.memo, stage.context.backward);
  std::vector<std::string> parts;
  for (const std::string& name : stage.context.output_names()) {
    const std::vector<double>& rounded = declared.outputs.at(name).exact;
    const std::vector<double>& exact = body.outputs.at(name).exact;
    const DType dtype = stage.context.dtype_of(name);
    std::vector<double> distances;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double ulps = std::fabs(rounded[i] - exact[i]) / ulp(dtype, exact[i]);
      if (!std::isfinite(ulps)) continue;
      distances.push_back(ulps);
    }
    std::sort(distances.begin(), distances.end());
    const double worst = distances.empty() ? 0 : distances.back();
    const double typical = distances.empty() ? 0 : distances[distances.size() / 2];
    const auto short_text = [](double value) {
      return base::number_text(value < 100 ? std::round(value * 100) / 100 : std::round(value));
    };
    parts.push_back(name + " " + short_text(worst) + " (" + short_text(typical) + ")");
  }
  stage.report.notes.push_back("the declared roundings cost, against exact truth, in ULP, largest (median): " +
                               base::join(parts, ", "));
}

// d/dh Σ dy·y(inputs + h·d) at h = 0 is Σ gradient·d. The central difference errs by h²·(third derivative)/6 and by
// 2^-53·Σ|dy·y|/h: with h = 2^-17 both are below 1e-9 of Σ|gradient·d| + Σ|dy·y|, unless the data is far larger than
// what it varies by. There a smaller h helps, and no h makes a wrong gradient agree. The gradients are linear in dy, so
// dy is 0 where a mask differs between the two sides: a large tensor always has such elements.
void check_gradients(Stage& stage, std::uint64_t seed) {
  if (!all_finite(stage.inputs)) return;
  Arrays inputs;
  for (const Port& port : stage.context.interface.inputs) inputs[port.name] = stage.inputs.at(port.name).doubles();
  const std::string y = stage.context.interface.first_output;
  const std::string dy = "d" + y;
  const Direction direction = draw_direction(stage.context, inputs, seed);
  for (const double h : {0x1p-17, 0x1p-20, 0x1p-23}) {
    run::Memo moving(stage.memo.execution());
    const Arrays up = run::run_body(stage.context, moved(inputs, direction, h), moving, false);
    const Arrays down = run::run_body(stage.context, moved(inputs, direction, -h), moving, false);
    Arrays settled = inputs;
    settled[dy] = stage.inputs.at(dy).doubles();
    zero_where_different(stage.context, up, down, dy, settled[dy]);
    run::Memo memo(stage.memo.execution());
    const Arrays gradients = run::run_body(stage.context, settled, memo, true);
    const double apart = disagreement(direction, gradients, settled[dy], up.at(y), down.at(y), h);
    if (!std::isfinite(apart)) {
      stage.report.notes.push_back("gradients are not finite: not compared with differences");
      stage.report.gradient_check = -1;
      return;
    }
    stage.report.gradient_check = apart;
    if (apart <= largest_disagreement) return;
  }
}

}  // namespace fusecheck
