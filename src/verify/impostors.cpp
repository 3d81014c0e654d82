// J11: what a check is worth, shown by what it lets through.
#include <cmath>
#include <string>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/judge.hpp"
#include "verify/elements.hpp"
#include "verify/standards.hpp"
#include "verify/statistics.hpp"
#include "verify/where.hpp"

namespace fusecheck {
namespace {

bool elements_pass(const Expected& expected, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (verify::fit_of(expected.truth[i], expected.low[i], expected.high[i], values[i]) == verify::Fit::outside)
      return false;
  }
  return true;
}

bool passes(const Expected& expected, const std::vector<double>& values, const JudgeOptions& options,
            const std::vector<std::string>& axes) {
  if (options.tolerance.name != Tolerance{}.name) {
    const verify::StandardVerdict verdict =
        verify::find_standard(options.tolerance.name)
            .apply({expected.dtype, expected.truth, values, options.third_party, options.tolerance});
    return verdict.judged && verdict.passed;
  }
  if (!elements_pass(expected, values)) return false;
  return !options.statistics || verify::gather_statistics(expected, values, axes).passed();
}

}  // namespace

std::vector<std::string> passing_impostors(const Expected& expected, const std::vector<Impostor>& impostors,
                                           const JudgeOptions& options) {
  const std::vector<std::string> axes = verify::axis_names(expected.shape, options.axes);
  std::vector<std::string> passing;
  for (const Impostor& impostor : impostors) {
    if (impostor.values.size() != expected.truth.size()) {
      internal_error("judge: impostor " + impostor.name + " has " + std::to_string(impostor.values.size()) +
                     " elements, truth " + std::to_string(expected.truth.size()));
    }
    if (passes(expected, impostor.values, options, axes)) passing.push_back(impostor.name);
  }
  return passing;
}

double vacuous_share(const Expected& expected) {
  if (expected.truth.empty()) return 0;
  const double floor = 16 * ulp(expected.dtype, 0);
  std::int64_t vacuous = 0, counted = 0;
  for (std::size_t i = 0; i < expected.truth.size(); ++i) {
    // Halved before the subtraction, which could overflow; NaN truth is never vacuous. No branch: the loop vectorises.
    const double half_width = expected.high[i] / 2 - expected.low[i] / 2;
    const std::int64_t tiny = (half_width > 0 ? 1 : 0) & (half_width <= floor ? 1 : 0);
    counted += 1 - tiny;
    vacuous += (half_width > std::abs(expected.truth[i]) ? 1 : 0) & (1 - tiny);
  }
  return counted == 0 ? 0 : static_cast<double>(vacuous) / static_cast<double>(counted);
}

}  // namespace fusecheck
