// What ran, echoed as parsed: a wrong flag shows here before anybody trusts the verdict.
#include <algorithm>

#include "graph/own_op.hpp"
#include "report/format.hpp"
#include "report/text_parts.hpp"
#include "report/version.hpp"

namespace fusecheck::report {
namespace {

std::string passes_text(Passes passes) {
  if (passes == Passes::forward) return "forward";
  return passes == Passes::backward ? "backward" : "forward and backward";
}

// The case's dtype, then the tensors that differ from it; a gradient stored like its tensor goes without saying.
std::string dtypes_text(const CheckReport& report) {
  std::map<std::string, std::vector<std::string>> others;
  for (const auto& [tensor, dtype] : report.dtypes) {
    if (dtype == report.spec.dtype || dtype == DType::boolean) continue;
    const auto of = tensor.starts_with("d") ? report.dtypes.find(tensor.substr(1)) : report.dtypes.end();
    if (of == report.dtypes.end() || of->second != dtype) others[std::string(name_of(dtype))].push_back(tensor);
  }
  std::vector<std::string> parts;
  for (const auto& [dtype, tensors] : others) parts.push_back(dtype + ": " + joined(tensors, " "));
  const std::string text(name_of(report.spec.dtype));
  return parts.empty() ? text : text + " (" + joined(parts, "; ") + ")";
}

std::string shapes_text(const CheckReport& report) {
  std::vector<std::string> parts;
  // In the order of the data flow where the names are known, then the rest by name.
  const std::vector<std::string> first = {"x", "w", "b", "residual", "y"};
  for (const std::string& tensor : first) {
    const auto found = report.shapes.find(tensor);
    if (found != report.shapes.end()) parts.push_back(tensor + "=" + to_text(found->second));
  }
  for (const auto& [tensor, shape] : report.shapes) {
    const bool parameter = shape.size() == 1 && report.dtypes.contains(tensor);
    const bool shown = std::find(first.begin(), first.end(), tensor) != first.end();
    if (parameter && !shown && tensor.front() != 'd') parts.push_back(tensor + "=" + to_text(shape));
  }
  return joined(parts, " ");
}

// Whether --bias means anything to the op.
bool takes_bias(const CaseSpec& spec) {
  const graph::Interface interface = graph::interface_of(*graph::op_of(spec.op, spec.body));
  return std::any_of(interface.inputs.begin(), interface.inputs.end(), [](const Port& port) { return port.optional; });
}

// " (exact: 0.000976562)" for data sets that have another value.
std::string other_values(const CheckReport& report, const std::string& name, const std::vector<double>& value) {
  std::string text;
  for (const DataSetReport& set : report.sets) {
    if (!set.attrs.has(name) || set.attrs.list(name) == value) continue;
    text += " (" + name_of(set.set) + ": " + list_text(set.attrs.list(name)) + ")";
  }
  return text;
}

std::string attributes_text(const CheckReport& report) {
  const CaseSpec& spec = report.spec;
  std::vector<std::string> parts;
  for (const auto& [name, value] : spec.attrs.all()) {
    if (name == "bn") {
      parts.push_back(value == std::vector<double>{1} ? "bn train" : "bn infer");
    } else {
      parts.push_back(name + " " + list_text(value) + other_values(report, name, value));
    }
  }
  if (takes_bias(spec)) parts.push_back(spec.bias ? "bias yes" : "bias no");
  return parts.empty() ? "none" : joined(parts, ", ");
}

std::string given_text(const CheckRequest& request) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : request.inputs) names.push_back(name);
  return joined(names, " ");
}

std::string data_text(const CheckReport& report, const CheckRequest& request) {
  std::vector<std::string> sets;
  bool all_from_files = !report.sets.empty();
  for (const DataSetReport& set : report.sets) {
    sets.push_back(name_of(set.set));
    all_from_files = all_from_files && set.from_files;
  }
  std::string text = request.inputs.empty() ? "" : "from files: " + given_text(request);
  const bool dy_given = request.inputs.contains("dy");
  if (all_from_files && dy_given) return text;
  if (!text.empty()) text += "; ";
  if (!all_from_files) text += (request.inputs.empty() ? "" : "the rest ") + joined(sets, ", ") + ", ";
  text += "seed " + std::to_string(report.spec.seed);
  return dy_given ? text : text + ", dy " + (report.spec.dy_ones ? "ones" : "random");
}

// A kernel may follow any recipe unless one is named; our own emulation follows one.
std::string recipe_text(const CheckReport& report) {
  const std::string& asked = report.spec.recipe;
  const bool any = report.kernel_judged && (asked.empty() || asked == "any") && report.spec.rounds.empty();
  return any ? "any for the kernel, " + report.recipe + " for the emulation" : report.recipe;
}

std::string limit_text(const CheckRequest& request) {
  std::string text = to_text(request.judge.tolerance);
  if (request.max_diff) text += ", fused against unfused at most " + exact_number(*request.max_diff);
  return text;
}

std::string model_text(const NumericModel& model) {
  return to_text(model) + " (accumulates in " + std::string(name_of(model.accumulate)) +
         (model.declared ? "; declared, not measured)" : ")");
}

}  // namespace

std::string labelled(const std::string& label, const std::string& text) {
  std::string line = label;
  line.resize(std::max<std::size_t>(label.size() + 1, 12), ' ');
  return line + text + "\n";
}

std::string header_text(const CheckReport& report, const CheckRequest& request) {
  const CaseSpec& spec = report.spec;
  return "fusecheck " + version() + "  " + report.op + "  " + dtypes_text(report) + "  " + passes_text(spec.passes) +
         "\n" + labelled("shapes", shapes_text(report)) + labelled("attributes", attributes_text(report)) +
         labelled("recipe", recipe_text(report) + "; model " + model_text(spec.model)) +
         labelled("data", data_text(report, request)) + labelled("limit", limit_text(request)) +
         labelled("formula", report.formula);
}

}  // namespace fusecheck::report
