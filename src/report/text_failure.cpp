// A block per failing output: how many, where, the worst, and what would explain it.
#include <algorithm>

#include "report/format.hpp"
#include "report/text_parts.hpp"

namespace fusecheck::report {
namespace {

bool has_failed(const Judged& judged) {
  return judged.output->judgement.status == Status::fail || judged.output->judgement.status == Status::error;
}

std::string count_text(const Judgement& judgement) {
  if (judgement.bad == 0) return "no element outside its limit, but the tensor as a whole";
  const double share = judgement.n > 0 ? static_cast<double>(judgement.bad) / static_cast<double>(judgement.n) : 0;
  std::string text =
      grouped(judgement.bad) + " of " + grouped(judgement.n) + " elements outside the limit (" + percent(share) + ")";
  if (judgement.nonfinite_mismatch > 0) {
    text += ", " + grouped(judgement.nonfinite_mismatch) + " of them NaN or Inf where the truth is not, or the reverse";
  }
  return text;
}

std::string worst_text(const Judgement& judgement) {
  if (judgement.worst.empty()) return {};
  using enum Align;
  Table table({"index", "actual", "truth", "low", "high", "ULP"}, {left, right, right, right, right, right});
  for (const WorstElement& element : judgement.worst) {
    table.add({index_text(element.index), exact_number(element.actual), exact_number(element.truth),
               exact_number(element.low), exact_number(element.high), ulp_text(element.ulp)});
  }
  const std::int64_t shown = static_cast<std::int64_t>(judgement.worst.size());
  return "  worst " + std::to_string(shown) + " of " + grouped(std::max(judgement.bad, shown)) + "\n" +
         table.text("    ");
}

std::string where_text(const Where& where) {
  std::string text;
  for (const std::string& line : where.lines) text += "  " + labelled(text.empty() ? "where" : "", line);
  if (where.border + where.interior > 0) {
    text +=
        "  " + labelled(text.empty() ? "where" : "", grouped(where.border) + " on the border of the last two axes, " +
                                                         grouped(where.interior) + " inside");
  }
  return text;
}

std::string block(const std::vector<Judged>& all) {
  const Judged worst = worst_of(all);
  const Judgement& judgement = worst.output->judgement;
  std::string text = "FAIL  " + worst.output->output + " of " + place_of(worst) + ": " + count_text(judgement) + "\n";
  if (!judgement.reason.empty()) text += "  " + labelled("reason", judgement.reason);
  text += where_text(judgement.where) + worst_text(judgement);
  if (judgement.smallest_atol > 0) {
    text += "  smallest tolerance that would pass: atol " + short_number(judgement.smallest_atol) + "\n";
  }
  std::vector<std::string> others;
  for (const Judged& judged : all) {
    if (judged.output != worst.output && has_failed(judged)) {
      others.push_back(place_of(judged) + " (" + grouped(judged.output->judgement.bad) + ")");
    }
  }
  if (!others.empty()) text += "  also fails: " + joined(others, ", ") + "\n";
  return text + "\n";
}

std::string difference_block(const CheckReport& report) {
  std::string text;
  for (const DataSetReport& set : report.sets) {
    for (const Difference& difference : set.differences) {
      if (difference.within) continue;
      text += "FAIL  " + difference.output + ": fused and unfused differ by " + short_number(difference.max_abs) +
              " on " + name_of_set(set) + ", above --max-diff\n";
    }
  }
  return text.empty() ? text : text + "\n";
}

// J13: f64 gradients and central differences that disagree make every verdict on gradients worthless.
std::string self_check_block(const CheckReport& report) {
  constexpr double most = 1e-8;
  std::string text;
  for (const DataSetReport& set : report.sets) {
    if (set.gradient_check <= most) continue;
    text += "FAIL  self-check: the reference's own gradients differ from central differences by " +
            short_number(set.gradient_check) + " on " + name_of_set(set) + ", above 1e-08\n\n";
  }
  return text;
}

// What the kernel did besides its numbers.
std::string kernel_block(const CheckReport& report) {
  std::string text;
  for (const DataSetReport& set : report.sets) {
    if (set.kernel != Status::fail && set.kernel != Status::error) continue;
    text += (set.kernel == Status::fail ? "FAIL  kernel on " : "ERROR  kernel on ") + name_of_set(set) + ": " +
            set.kernel_message + "\n";
    for (const std::string& line : set.kernel_errors) text += "  " + labelled("stderr", line);
  }
  return text.empty() ? text : text + "\n";
}

std::string nearest_text(const CheckReport& report) {
  std::string text;
  for (const DataSetReport& set : report.sets) {
    if (set.nearest.empty()) continue;
    using enum Align;
    Table table({"schedule", "outside", "declared by"}, {left, right, left});
    for (const DataSetReport::Nearest& near : set.nearest) {
      table.add({near.schedule + (near.lossy ? " (lossy)" : ""), grouped(near.outside), near.declare});
    }
    text += "nearest schedules on " + name_of_set(set) + "\n" + table.text("  ") + "\n";
  }
  return text;
}

}  // namespace

std::string failures_text(const CheckReport& report) {
  std::string text = kernel_block(report);
  for (const std::string& output : judged_outputs(report)) {
    const std::vector<Judged> all = main_judgements(report, output);
    if (has_failed(worst_of(all))) text += block(all);
  }
  // A third party, or our own emulation beside a kernel, that fails is as loud as the kernel.
  for (const std::string candidate : {"onednn", "unfused", "fused"}) {
    if (!report.kernel_judged && candidate != "onednn") continue;
    std::vector<Judged> failed = judgements_of(report, candidate);
    std::erase_if(failed, [](const Judged& judged) { return !has_failed(judged); });
    for (const Judged& judged : failed) text += block({judged});
  }
  return text + difference_block(report) + self_check_block(report) + nearest_text(report);
}

}  // namespace fusecheck::report
