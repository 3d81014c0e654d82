// The verdict table: one line per output, the worst over data sets and candidates, naming where that was.
#include <algorithm>
#include <limits>

#include "report/format.hpp"
#include "report/text_parts.hpp"

namespace fusecheck::report {
namespace {

bool is_main(const CheckReport& report, const OutputReport& output) {
  if (report.kernel_judged) return output.candidate == "actual";
  return output.candidate == "unfused" || output.candidate == "fused";
}

bool is_worse(const Judged& a, const Judged& b) {
  const Judgement& left = a.output->judgement;
  const Judgement& right = b.output->judgement;
  if (left.status != right.status) return left.status > right.status;
  if (left.used != right.used) return left.used > right.used;
  return left.max_abs > right.max_abs;
}

// "<": no legal order was run on the whole schedule, and the half-widths bound what one would flip.
std::string flips_text(const Judgement& judgement) {
  const bool bound = !judgement.flips_seen && judgement.flips_predicted > 0;
  return grouped(judgement.flips_observed) + (bound ? "/<" : "/") + short_number(judgement.flips_predicted);
}

// Beside a zero the distance in ULP has no meaning but "far".
std::string limit_text(double limit_ulp) {
  if (limit_ulp > 999999) return ">999,999";
  return limit_ulp >= 1000 ? grouped(static_cast<std::int64_t>(limit_ulp)) : short_number(limit_ulp);
}

std::string difference_text(const Difference* difference) {
  if (difference == nullptr) return "-";
  return short_number(difference->max_abs) + " (" + ulp_text(difference->max_ulp) + ")";
}

std::string verdict_text(const Judged& judged, const Difference* difference) {
  const Judgement& judgement = judged.output->judgement;
  if (judgement.status == Status::fail) return "FAIL";
  if (difference != nullptr && !difference->within) return "FAIL (above --max-diff)";
  if (judgement.status == Status::weak) return "WEAK";
  if (judgement.status == Status::pass && !judgement.reason.empty()) return "pass (" + judgement.reason + ")";
  return std::string(name_of(judgement.status));
}

}  // namespace

std::vector<std::string> judged_outputs(const CheckReport& report) {
  std::vector<std::string> names;
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& output : set.outputs) {
      if (!is_main(report, output)) continue;
      if (std::find(names.begin(), names.end(), output.output) == names.end()) names.push_back(output.output);
    }
  }
  return names;
}

std::vector<Judged> main_judgements(const CheckReport& report, const std::string& output) {
  std::vector<Judged> all;
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& judged : set.outputs) {
      if (judged.output == output && is_main(report, judged)) all.push_back({&set, &judged});
    }
  }
  return all;
}

std::vector<Judged> judgements_of(const CheckReport& report, const std::string& candidate) {
  std::vector<Judged> all;
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& judged : set.outputs) {
      if (judged.candidate == candidate) all.push_back({&set, &judged});
    }
  }
  return all;
}

Judged worst_of(const std::vector<Judged>& judged) { return *std::min_element(judged.begin(), judged.end(), is_worse); }

const Difference* largest_difference(const CheckReport& report, const std::string& output) {
  const Difference* largest = nullptr;
  for (const DataSetReport& set : report.sets) {
    for (const Difference& difference : set.differences) {
      if (difference.output != output) continue;
      const bool further = largest == nullptr || (!difference.within && largest->within) ||
                           (difference.within == largest->within && difference.max_abs > largest->max_abs);
      if (further) largest = &difference;
    }
  }
  return largest;
}

std::string name_of_set(const DataSetReport& set) { return set.from_files ? "files" : name_of(set.set); }

std::string place_of(const Judged& judged) { return judged.output->candidate + " on " + name_of_set(*judged.set); }

std::string table_text(const CheckReport& report) {
  using enum Align;
  Table table({"output", "elements", "max abs", "ULP", "limit", "used", "flips/expected", "fused-unfused (ULP)",
               "worst in", "verdict"},
              {left, right, right, right, right, right, right, right, left, left});
  for (const std::string& name : judged_outputs(report)) {
    const Judged worst = worst_of(main_judgements(report, name));
    const Judgement& judgement = worst.output->judgement;
    const Difference* difference = largest_difference(report, name);
    table.add({name, grouped(judgement.n), short_number(judgement.max_abs), ulp_text(judgement.max_ulp),
               limit_text(judgement.limit_ulp), percent(judgement.used), flips_text(judgement),
               difference_text(difference), place_of(worst), verdict_text(worst, difference)});
  }
  return table.text("  ");
}

}  // namespace fusecheck::report
