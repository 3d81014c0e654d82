// What counts as worse (docs/gate.md states each rule and where it comes from).
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "suite/gate.hpp"

namespace fusecheck::suite {
namespace {

// A number may grow to the larger of base * slack and base + floor: another legal order of sums moves it by about as
// much. `floor` of flips is a share of the elements.
struct Metric {
  const char* name;
  double (*value)(const BaselineRow&);
  double slack, floor;
  bool per_element = false;
};

constexpr std::array<Metric, 5> metrics = {{
    {"max_ulp", [](const BaselineRow& row) { return static_cast<double>(row.max_ulp); }, 1.5, 1},
    {"used", [](const BaselineRow& row) { return row.used; }, 2, 0.1},
    {"flips", [](const BaselineRow& row) { return static_cast<double>(row.flips); }, 2, 0.001, true},
    {"mean_ulp", [](const BaselineRow& row) { return std::fabs(row.mean_ulp); }, 2, 0.02},
    {"rms", [](const BaselineRow& row) { return row.rms; }, 2, 0.02},
}};

// Below a tenth of what the limit allows, a number is noise: it cannot fail a merge.
constexpr double least_used = 0.1;

std::string text(double value) { return base::number_text(value); }

GateFinding finding(const std::string& verdict, const RowKey& key, const std::string& metric, const std::string& base,
                    const std::string& now, const std::string& limit) {
  return {verdict, key, metric, base, now, limit, "", true, false};
}

std::optional<GateFinding> changed(const RowKey& key, const BaselineRow& base, const BaselineRow& row) {
  const std::array<std::tuple<const char*, std::string, std::string>, 5> pinned = {{
      {"schedule", base.recipe, row.recipe},
      {"model", base.model, row.model},
      {"limit", base.limit, row.limit},
      {"contract", base.contract.substr(0, 12), row.contract.substr(0, 12)},
      {"n", std::to_string(base.n), std::to_string(row.n)},
  }};
  for (const auto& [name, before, now] : pinned) {
    if (before != now) return finding("changed", key, name, before, now, "a reason");
  }
  return std::nullopt;
}

}  // namespace

std::optional<GateFinding> worse_than(const RowKey& key, const BaselineRow& base, const BaselineRow& row) {
  if (row.status == "fail") return finding("failed", key, "status", base.status, row.status, "pass");
  if (auto other = changed(key, base, row)) return other;
  if (row.nonfinite > base.nonfinite) {
    return finding("non-finite", key, "nonfinite", std::to_string(base.nonfinite), std::to_string(row.nonfinite),
                   std::to_string(base.nonfinite));
  }
  if (row.status == "weak" && base.status != "weak") {
    return finding("weak", key, "status", base.status, row.status, "pass");
  }
  if (row.bad > base.bad) {
    return finding("worse", key, "bad", std::to_string(base.bad), std::to_string(row.bad), std::to_string(base.bad));
  }
  if (row.used <= least_used) return std::nullopt;
  for (const Metric& metric : metrics) {
    const double before = metric.value(base), now = metric.value(row);
    const double floor = metric.per_element ? std::max(1.0, metric.floor * static_cast<double>(row.n)) : metric.floor;
    const double limit = std::max(before * metric.slack, before + floor);
    if (now > limit || now != now) return finding("worse", key, metric.name, text(before), text(now), text(limit));
  }
  return std::nullopt;
}

int exit_code(const GateReport& report) {
  const bool fails =
      std::any_of(report.findings.begin(), report.findings.end(), [](const GateFinding& one) { return one.fails; });
  if (fails) return 1;
  if (report.errors > 0) return 3;
  return report.same + report.better == 0 ? 4 : 0;
}

}  // namespace fusecheck::suite
