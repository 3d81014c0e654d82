// The lines under the table: what else stands behind the verdict.
#include <algorithm>
#include <map>

#include "report/format.hpp"
#include "report/text_parts.hpp"

namespace fusecheck::report {
namespace {

std::vector<std::string> distinct_outputs(const std::vector<Judged>& judged, Status status) {
  std::vector<std::string> names;
  for (const Judged& one : judged) {
    const std::string& name = one.output->output;
    if (one.output->judgement.status != status) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string summary_of(const std::vector<Judged>& judged) {
  std::vector<std::string> parts;
  for (const Status status : {Status::fail, Status::error, Status::weak, Status::pass, Status::skip}) {
    const std::vector<std::string> names = distinct_outputs(judged, status);
    if (names.empty()) continue;
    std::string part = std::string(status == Status::fail ? "FAIL" : name_of(status)) + " " + joined(names, " ");
    if (status == Status::skip) {
      const auto skipped = std::find_if(judged.begin(), judged.end(),
                                        [](const Judged& one) { return one.output->judgement.status == Status::skip; });
      part += " (" + skipped->output->judgement.reason + ")";
    }
    if (status == Status::pass) {
      double used = 0;
      for (const Judged& one : judged) {
        if (one.output->judgement.status == Status::pass) used = std::max(used, one.output->judgement.used);
      }
      part += " (at most " + percent(used) + " of the limit)";
    }
    parts.push_back(part);
  }
  return joined(parts, "; ");
}

// How the reference was checked: derivatives against differences, the hand-derived algebra against the body (J13, J2).
std::string self_check_text(const CheckReport& report) {
  double gradient = -1, apart = -1;
  std::string apart_in;
  for (const DataSetReport& set : report.sets) {
    gradient = std::max(gradient, set.gradient_check);
    for (const auto& [output, distance] : set.to_body) {
      if (distance <= apart) continue;
      apart = distance;
      apart_in = output;
    }
  }
  std::vector<std::string> parts;
  if (gradient >= 0) parts.push_back("gradients against central differences " + short_number(gradient) + " relative");
  if (apart >= 0) parts.push_back("recipe against body " + short_number(apart) + " u S (" + apart_in + ")");
  if (parts.empty()) return {};
  return labelled("self-check", "at most: " + joined(parts, ", "));
}

// Every standard once, with the outputs that it would reject.
std::string standards_text(const CheckReport& report) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> rejected;
  for (const std::string& output : judged_outputs(report)) {
    for (const Judged& judged : main_judgements(report, output)) {
      for (const auto& [standard, passed] : judged.output->judgement.standards) {
        if (std::find(order.begin(), order.end(), standard) == order.end()) order.push_back(standard);
        std::vector<std::string>& list = rejected[standard];
        if (!passed && std::find(list.begin(), list.end(), output) == list.end()) list.push_back(output);
      }
    }
  }
  if (order.empty()) return {};
  std::vector<std::string> parts;
  for (const std::string& standard : order) {
    const std::vector<std::string>& list = rejected[standard];
    parts.push_back(standard + (list.empty() ? " pass" : " FAIL (" + joined(list, " ") + ")"));
  }
  return labelled("standards", "would say: " + joined(parts, ", "));
}

std::string visible_text(const CheckReport& report) {
  std::vector<std::string> parts;
  for (const std::string& output : judged_outputs(report)) {
    double smallest = 0;
    for (const Judged& judged : main_judgements(report, output)) {
      const double visible = judged.output->judgement.smallest_visible;
      if (visible > 0 && (smallest == 0 || visible < smallest)) smallest = visible;
    }
    if (smallest > 0) parts.push_back(output + " " + short_number(smallest));
  }
  if (parts.empty()) return {};
  return labelled("visible", "smallest relative fault that shows: " + joined(parts, ", "));
}

// A given dy stays as it is; a note says so.
std::string kinks_text(const CheckReport& report, const CheckRequest& request) {
  if (request.inputs.contains("dy")) return {};
  std::vector<std::string> parts;
  for (const DataSetReport& set : report.sets) {
    if (set.kinks_zeroed == 0) continue;
    const double share =
        set.kinks_total > 0 ? static_cast<double>(set.kinks_zeroed) / static_cast<double>(set.kinks_total) : 0;
    parts.push_back(grouped(set.kinks_zeroed) + " of " + grouped(set.kinks_total) + " on " + name_of_set(set) + " (" +
                    percent(share) + ")");
  }
  if (parts.empty()) return {};
  return labelled("kinks", "dy set to 0 where the sign is open: " + joined(parts, ", "));
}

std::string explained_text(const CheckReport& report) {
  std::string text;
  for (const DataSetReport& set : report.sets) {
    if (set.explained_by.empty()) continue;
    text += labelled("explained", "on " + name_of_set(set) + " by: " + joined(set.explained_by, ", "));
  }
  return text;
}

std::string notes_text(const CheckReport& report) {
  std::vector<std::string> notes = report.notes;
  for (const DataSetReport& set : report.sets) {
    for (const std::string& note : set.notes) notes.push_back(name_of_set(set) + ": " + note);
  }
  std::string text;
  for (const std::string& note : notes) text += labelled("note", note);
  return text;
}

std::string emulation_text(const CheckReport& report) {
  if (!report.kernel_judged) return {};
  std::vector<Judged> emulated = judgements_of(report, "unfused");
  const std::vector<Judged> fused = judgements_of(report, "fused");
  emulated.insert(emulated.end(), fused.begin(), fused.end());
  return emulated.empty() ? std::string() : labelled("emulation", summary_of(emulated));
}

}  // namespace

std::string facts_text(const CheckReport& report, const CheckRequest& request) {
  const std::vector<Judged> third_party = judgements_of(report, "onednn");
  std::string text = explained_text(report) + emulation_text(report);
  if (!third_party.empty()) text += labelled("oneDNN", summary_of(third_party));
  text += self_check_text(report) + standards_text(report) + visible_text(report) + kinks_text(report, request);
  return text + notes_text(report);
}

}  // namespace fusecheck::report
