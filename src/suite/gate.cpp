#include "suite/gate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace fusecheck::suite {
namespace {

bool is_better(const BaselineRow& base, const BaselineRow& row) {
  const bool no_worse = row.bad <= base.bad && row.max_ulp <= base.max_ulp && row.flips <= base.flips &&
                        row.used <= base.used && row.rms <= base.rms;
  return no_worse && (row.bad < base.bad || row.max_ulp < base.max_ulp || row.flips < base.flips ||
                      row.used < base.used || row.rms < base.rms);
}

// The rows of a run by key, and the status of every case.
struct Judged {
  Baseline rows;
  std::map<std::string, std::string> statuses;
};

Judged rows_of_run(const ResultFile& file, const std::string& today) {
  Judged judged;
  for_each_record(file, [&](const CaseRecord& record) {
    judged.statuses[record.id] = status_on(record, today);
    for (auto& [key, row] : rows_of(file.header, record)) judged.rows.emplace(key, row);
  });
  return judged;
}

// One case of the results against its rows of the baseline.
class Gate {
 public:
  Gate(const Baseline& baseline, const std::string& today, const std::optional<ResultFile>& base_results)
      : baseline_(baseline), today_(today) {
    if (base_results) before_ = rows_of_run(*base_results, today);
    std::set<std::string> ids;
    for (const auto& [key, row] : baseline) ids.insert(key.id);
    report_.cases = ids.size();
    report_.rows = baseline.size();
  }

  void judge(const RunHeader& header, const CaseRecord& record) {
    const std::string status = status_on(record, today_);
    const auto [begin, end] = rows_of_case(record.id);
    seen_.insert(record.id);
    if (begin == end) ++report_.new_cases;
    if (record.status == "xfail" && status == "xfail") return known(record);
    const std::size_t before = report_.findings.size();
    Baseline rows;
    for (auto& [key, row] : rows_of(header, record)) rows.emplace(key, row);
    for (auto at = begin; at != end; ++at) {
      const auto row = rows.find(at->first);
      row == rows.end() ? missing(at->first, record, status) : compare(at->first, at->second, row->second, record);
    }
    // Whatever failed outside the rows: a new case, the emulation, a known failure that passes or has expired.
    const bool said =
        std::any_of(report_.findings.begin() + static_cast<std::ptrdiff_t>(before), report_.findings.end(),
                    [](const GateFinding& one) { return one.fails || one.inherited; });
    if (said || (status != "fail" && status != "xpass")) {
      if (status == "error" && begin == end) ++report_.errors;
      return;
    }
    GateFinding one{status == "fail" ? "failed" : "xpass", {record.id, "", ""}, "status", "", status, "", record.repro};
    add(one, before_ && before_->statuses.contains(record.id) && before_->statuses.at(record.id) == status);
  }

  GateReport finish() {
    for (const auto& [key, row] : baseline_) {
      if (seen_.contains(key.id)) continue;
      const bool there = before_ && before_->rows.contains(key);
      add({"missing", key, "-", "listed", "missing", "", ""}, before_ && !there);
    }
    // What fails first, each part in its order.
    std::vector<GateFinding> sorted;
    for (const bool fails : {true, false}) {
      std::copy_if(report_.findings.begin(), report_.findings.end(), std::back_inserter(sorted),
                   [&](const GateFinding& one) { return one.fails == fails; });
    }
    report_.findings = std::move(sorted);
    return std::move(report_);
  }

 private:
  std::pair<Baseline::const_iterator, Baseline::const_iterator> rows_of_case(const std::string& id) const {
    const auto begin = baseline_.lower_bound({id, "", ""});
    auto end = begin;
    while (end != baseline_.end() && end->first.id == id) ++end;
    return {begin, end};
  }

  void known(const CaseRecord& record) {
    ++report_.known_failures;
    const std::string& expires = record.known_failure->expires;
    if (report_.next_expiry.empty() || expires < report_.next_expiry) report_.next_expiry = expires;
  }

  void missing(const RowKey& key, const CaseRecord& record, const std::string& status) {
    add({"missing", key, "-", "listed", status, "", record.repro}, before_ && !before_->rows.contains(key));
  }

  void compare(const RowKey& key, const BaselineRow& base, const BaselineRow& row, const CaseRecord& record) {
    std::optional<GateFinding> finding = worse_than(key, base, row);
    if (finding) {
      finding->repro = record.repro.empty() ? "fusecheck --case '" + record.id + "'" : record.repro;
      return add(*finding, inherited(key, row));
    }
    if (!is_better(base, row)) {
      ++report_.same;
      return;
    }
    ++report_.better;
    if (base.rms > 4 * row.rms || base.max_ulp > 4 * std::max<std::int64_t>(row.max_ulp, 1)) ++report_.roomy;
    report_.findings.push_back({"better", key, "rms", "", "", "", "", false, false});
  }

  // The state before the change was no better than this.
  bool inherited(const RowKey& key, const BaselineRow& row) const {
    if (!before_) return false;
    const auto earlier = before_->rows.find(key);
    if (earlier == before_->rows.end()) return false;
    if (earlier->second.status == "fail") return row.status == "fail";
    return !worse_than(key, earlier->second, row);
  }

  void add(GateFinding finding, bool is_inherited) {
    finding.inherited = is_inherited;
    finding.fails = !is_inherited;
    report_.findings.push_back(std::move(finding));
  }

  const Baseline& baseline_;
  std::string today_;
  std::optional<Judged> before_;
  std::set<std::string> seen_;
  GateReport report_;
};

}  // namespace

GateReport judge_gate(const Baseline& baseline, const ResultFile& results, const std::string& today,
                      const std::optional<ResultFile>& base_results) {
  require_complete(results);
  if (base_results) require_complete(*base_results);
  Gate gate(baseline, today, base_results);
  for_each_record(results, [&](const CaseRecord& record) { gate.judge(results.header, record); });
  return gate.finish();
}

GateUpdate update_baseline(const Baseline& baseline, const ResultFile& results, const std::string& today,
                           const std::string& reason, const std::string& only) {
  require_complete(results);
  const Judged judged = rows_of_run(results, today);
  GateUpdate update;
  const auto may_loosen = [&](const RowKey& key) { return !reason.empty() && (only.empty() || key.id == only); };
  for (const auto& [key, base] : baseline) {
    const auto found = judged.rows.find(key);
    if (found == judged.rows.end()) {
      if (may_loosen(key)) {
        ++update.removed;
        continue;
      }
      update.baseline.emplace(key, base);
      update.kept.push_back({"missing", key, "-", "listed", "missing", "", ""});
      continue;
    }
    const BaselineRow& row = found->second;
    const std::optional<GateFinding> worse = worse_than(key, base, row);
    BaselineRow next = base;
    if (worse && (row.status == "fail" || !may_loosen(key))) {
      update.kept.push_back(*worse);
    } else if (worse) {
      next = row;
      next.reason = reason;
      ++update.loosened;
    } else {
      next.status = row.status;
      next.bad = std::min(base.bad, row.bad);
      next.nonfinite = std::min(base.nonfinite, row.nonfinite);
      next.max_ulp = std::min(base.max_ulp, row.max_ulp);
      next.flips = std::min(base.flips, row.flips);
      next.used = std::min(base.used, row.used);
      next.rms = std::min(base.rms, row.rms);
      if (std::abs(row.mean_ulp) < std::abs(base.mean_ulp)) next.mean_ulp = row.mean_ulp;
      update.tightened += next == base ? 0 : 1;
    }
    update.baseline.emplace(key, next);
  }
  for (const auto& [key, row] : judged.rows) {
    const std::string& status = judged.statuses.at(key.id);
    if (baseline.contains(key) || (status != "pass" && status != "weak")) continue;
    update.baseline.emplace(key, row);
    ++update.added;
  }
  return update;
}

}  // namespace fusecheck::suite
