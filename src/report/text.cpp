#include <algorithm>

#include "report/format.hpp"
#include "report/report.hpp"
#include "report/text_parts.hpp"

namespace fusecheck::report {
namespace {

// How many outputs the op has on the passes that ran: the emulations give all of them.
std::size_t count_of_outputs(const CheckReport& report) {
  std::vector<std::string> names;
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& output : set.outputs) {
      if (output.candidate == "onednn") continue;
      if (std::find(names.begin(), names.end(), output.output) == names.end()) names.push_back(output.output);
    }
  }
  return names.size();
}

std::vector<std::string> outputs_with(const CheckReport& report, Status status) {
  std::vector<std::string> names;
  for (const std::string& name : judged_outputs(report)) {
    if (worst_of(main_judgements(report, name)).output->judgement.status == status) names.push_back(name);
  }
  return names;
}

std::string judged_text(const CheckReport& report) {
  const std::vector<std::string> names = judged_outputs(report);
  if (names.empty()) return "no output was judged";
  if (report.kernel_judged) {
    const std::size_t all = count_of_outputs(report);
    return joined(names, " ") + ", " + std::to_string(names.size()) + " of " + std::to_string(all) + " outputs given";
  }
  const bool once = report.recipe == "unfused";  // a primitive, or as asked
  return joined(names, " ") + (once ? ", unfused emulation" : ", unfused and fused emulation");
}

// The kernel did what no kernel may do, whatever its numbers.
bool rejected(const CheckReport& report) {
  return std::any_of(report.sets.begin(), report.sets.end(),
                     [](const DataSetReport& set) { return set.kernel == Status::fail; });
}

std::string why_skipped(const CheckReport& report) {
  for (const DataSetReport& set : report.sets) {
    if (set.kernel == Status::skip) return set.kernel_message;
  }
  return "nothing was judged";
}

// Weak outputs say why; the table has no room for it.
std::string weak_text(const CheckReport& report) {
  std::string text;
  for (const std::string& name : judged_outputs(report)) {
    const Judged worst = worst_of(main_judgements(report, name));
    if (worst.output->judgement.status != Status::weak) continue;
    text += labelled("WEAK", name + " of " + place_of(worst) + ": " + worst.output->judgement.reason);
  }
  return text;
}

}  // namespace

std::string verdict_line(const CheckReport& report) {
  const std::string judged = judged_text(report);
  if (report.status == Status::pass) return "PASS  " + judged + "\n";
  if (report.status == Status::weak) {
    const std::vector<std::string> weak = outputs_with(report, Status::weak);
    return "WEAK  nothing proven by " + (weak.empty() ? "this check" : joined(weak, " ")) + "; judged: " + judged +
           "\n";
  }
  if (report.status == Status::fail) {
    const std::vector<std::string> failed = outputs_with(report, Status::fail);
    return "FAIL  " + std::string(rejected(report) ? "kernel; " : "") +
           (failed.empty() ? "" : joined(failed, " ") + "; ") + "judged: " + judged + "\n";
  }
  if (report.status == Status::skip) return "SKIP  the kernel does not support the case: " + why_skipped(report) + "\n";
  return "ERROR  no verdict; judged: " + judged + "\n";
}

std::string text_report(const CheckReport& report, const CheckRequest& request) {
  std::string text = header_text(report, request) + "\n" + table_text(report) + "\n" + facts_text(report, request);
  text += weak_text(report);
  if (!report.kernel_judged) {
    text += "no kernel judged: this checked the fused algebra; next: --save DIR, run your kernel, --actual DIR\n";
  }
  if (report.status == Status::fail || report.status == Status::error) text += "\n" + failures_text(report);
  if (report.status != Status::pass) text += "repro: " + report.repro + "\n";
  return text + verdict_line(report);
}

}  // namespace fusecheck::report
