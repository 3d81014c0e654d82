// fusecheck explain: what will be computed, where it is rounded, what fusion saves, how the limit comes about.
#include "base/text.hpp"
#include "check/case_info.hpp"
#include "check/trace.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/request.hpp"
#include "fusecheck/error.hpp"
#include "report/format.hpp"

namespace fusecheck::cli {
namespace {

using report::grouped;
using report::Table;
using enum report::Align;

std::string tensors_text(const CaseInfo& info) {
  Table table({"tensor", "shape", "storage"}, {left, left, left});
  for (const auto& [name, dtype] : info.dtypes) {
    table.add({name, to_text(info.shapes.at(name)), std::string(name_of(dtype))});
  }
  return "tensors\n" + table.text("  ");
}

std::string points_text(const std::vector<TracedSchedule>& schedules) {
  std::string text = "rounding points (--recipe NAME, --round POINT=TYPE)\n";
  for (const TracedSchedule& schedule : schedules) {
    text += "  " + schedule.name + (schedule.lossy ? " (lossy, only when named)" : "") + ": " + schedule.doc + "\n";
    for (const TracedPoint& point : schedule.points) text += "    " + point.name + " " + point.rule + "\n";
    if (schedule.points.empty()) text += "    none inside; outputs are rounded to their storage\n";
  }
  return text;
}

std::string traffic_text(const std::vector<TracedSchedule>& schedules) {
  Table table({"schedule", "forward", "for the backward", "backward", "together", "of unfused"},
              {left, right, right, right, right, right});
  const Traffic& unfused = schedules.back().traffic;
  for (const TracedSchedule& schedule : schedules) {
    const Traffic& t = schedule.traffic;
    table.add({schedule.name, grouped(t.forward), grouped(t.saved), grouped(t.backward), grouped(t.total()),
               report::percent(static_cast<double>(t.total()) / static_cast<double>(unfused.total()))});
  }
  return "bytes to and from memory (HBM), if a kernel moves each tensor once; unfused: each primitive is a kernel\n" +
         table.text("  ");
}

std::string limit_text(const CaseSpec& spec, const TracedSchedule& schedule) {
  const bool half = spec.model.accumulate == DType::f16;
  const std::string unit = half ? "2^-11" : "2^-24";
  std::string text = "the limit of an element (--tol bound)\n";
  text += "  truth: the exact value of the recipe on the rounded inputs, rounded once to storage\n";
  text += "  a sum of n terms in " + std::string(name_of(spec.model.accumulate)) + " may be off by c*u*S: u = " + unit +
          ", S = sum of |terms|, c = min(n, max(8, 3*worst)),\n" +
          "  worst = the largest error/(u*S) of legal orders, run on this very data; rigorous n of the sums here:\n";
  for (const TracedSum& sum : schedule.sums) text += "    " + grouped(sum.terms) + "  " + sum.what + "\n";
  text += "  every other operation adds half an ULP of f32; a declared rounding maps the interval to storage values,\n";
  text +=
      "  so an output passes inside [round(low), round(high)]; the tensor's flips, RMS and mean are judged as well\n";
  return text;
}

}  // namespace

std::string explain(const Words& words) {
  CommandLine line = read_command_line(parse_flags(words));
  read_files(line);
  const CaseSpec& spec = line.request.spec;
  const CaseInfo info = case_info(spec);
  std::vector<TracedSchedule> schedules = trace_schedules(spec);
  if (schedules.empty()) internal_error("no schedule for " + info.op->name);
  std::string text = info.op->name + "  " + info.op->formula + "\n";
  if (info.op->fused()) text += "body        " + info.op->body + "\n";
  text += "case        " + to_line(spec) + "\n\n";
  text += tensors_text(info) + "\n" + points_text(schedules) + "\n" + traffic_text(schedules) + "\n";
  return text + limit_text(spec, schedules.front());
}

}  // namespace fusecheck::cli
