#include "check/op_reference.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "check/case_info.hpp"
#include "check/trace.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "graph/body.hpp"
#include "report/format.hpp"

namespace fusecheck {
namespace {

constexpr const char* introduction =
    "# Operators\n"
    "\n"
    "Written by `fusecheck list ops --markdown` from the operators themselves; a test compares. Do not edit.\n"
    "\n"
    "A primitive is a formula with its gradients. A fused op stands for its *body*, a chain of primitives; its recipes "
    "are\n"
    "the kernels that an author may write for it, and `unfused` is the body with every edge rounded to storage.\n"
    "\n"
    "- *Types.* Each op runs in f16, bf16 and f32. `data` tensors have the type of the case, `parameter` tensors are "
    "f32\n"
    "  unless `--param-dtype` says otherwise, a `mask` is boolean, an `index` i32. A gradient has the type of its "
    "tensor.\n"
    "- *Attributes* are set by the flag of that name or `--attr NAME=NUMBERS`.\n"
    "- *Rounding points*, in the order of the kernel: `storage` rounds to the type of the case, `saved` is written for "
    "the\n"
    "  backward, everything else stays in f32; outputs are rounded to their type. `--round POINT=TYPE` changes one.\n"
    "- *Budget.* How far the recipe's own truth may lie from the body's, in units of u times the sum of |terms|.\n"
    "- *Limit.* Each sum may err by c*u*S, any order, c calibrated on the case; each other operation by half an ULP of "
    "f32;\n"
    "  a function by what OpenCL allows its built-ins (NUMERICS.md J4, N12). Named are the sums that count.\n"
    "- *lossy*: a less accurate algorithm that vendors ship; judged by its own rules where it is named, never tried "
    "silently.\n";

bool has_attribute(const graph::Interface& interface, const std::string& name) {
  return std::any_of(interface.attrs.begin(), interface.attrs.end(),
                     [&](const AttrSpec& attr) { return attr.name == name; });
}

// The schedules of the op on the first of these shapes that it takes; rounding points do not depend on it.
std::vector<TracedSchedule> sample_schedules(const OpDef& op, const graph::Interface& interface, bool training) {
  const std::vector<Shape> shapes = {{2, 16, 8, 8}, {2, 16, 8}, {16, 8}, {8}, {2, 16, 4, 8, 8}};
  for (const Shape& shape : shapes) {
    CaseSpec spec;
    spec.op = op.name;
    spec.bias = true;
    spec.shapes[interface.inputs.front().name] = shape;
    if (training) spec.attrs.set("bn", {1});
    try {
      return trace_schedules(spec);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
    }
  }
  internal_error(op.name + " takes none of the shapes that are tried here: add one");
}

// A cell of a Markdown table: a bar inside would end it.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

void add_row(std::string& text, const std::vector<std::string>& cells) {
  text += "|";
  for (const std::string& one : cells) text += " " + cell(one) + (one.empty() ? "|" : " |");
  text += "\n";
}

std::string code(const std::string& text) { return "`" + text + "`"; }

// What Markdown viewers make of a heading's text as the target of a link.
std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

const char* role_text(Role role) {
  if (role == Role::parameter) return "parameter";
  if (role == Role::mask) return "mask";
  return role == Role::index ? "index" : "data";
}

// "the shape of x" in the words of the body, where another value is the primitive's x.
std::string in_words_of_body(std::string doc, const graph::Node& node) {
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const std::string port = " of " + node.op->inputs[i].name;
    const std::size_t at = (" " + doc).find(port);
    if (at == std::string::npos || node.op->inputs[i].name == node.arguments[i]) continue;
    const std::size_t end = at + port.size() - 1;
    if (end < doc.size() && std::isalnum(static_cast<unsigned char>(doc[end])) != 0) continue;
    return doc.substr(0, at) + "of " + node.arguments[i] + doc.substr(end);
  }
  return doc;
}

// What the first call that reads or gives the tensor says of it.
std::string doc_of(const graph::Body& body, const Port& port) {
  for (const graph::Node& node : body.nodes) {
    const bool reads = std::find(node.arguments.begin(), node.arguments.end(), port.name) != node.arguments.end();
    if (reads || node.result == port.name) return in_words_of_body(port.doc, node);
  }
  return port.doc;
}

std::string tensors_text(const graph::Body& body, const graph::Interface& interface) {
  std::string text = "\n| tensor | | type | shape | gradient |\n|---|---|---|---|---|\n";
  for (const Port& port : interface.inputs) {
    add_row(text, {code(port.name), port.optional ? "input, may be left out" : "input", role_text(port.role),
                   doc_of(body, port), port.gradient ? code("d" + port.name) : "none"});
  }
  for (const Port& port : interface.outputs) {
    const bool upstream = port.name == interface.first_output;
    add_row(text, {code(port.name), port.training_only ? "output in training" : "output", role_text(port.role),
                   doc_of(body, port), upstream ? code("d" + port.name) + " goes in" : ""});
  }
  return text;
}

std::string attributes_text(const graph::Interface& interface) {
  if (interface.attrs.empty()) return {};
  std::string text = "\n| attribute | default | meaning |\n|---|---|---|\n";
  for (const AttrSpec& attr : interface.attrs)
    add_row(text, {code(attr.name), report::list_text(attr.fallback), attr.doc});
  return text;
}

// The canonical body, one call a line.
std::string statements(const OpDef& op) {
  std::string text = graph::to_text(graph::body_of(op));
  for (std::size_t at = 0; (at = text.find("; ", at)) != std::string::npos;) text.replace(at, 2, "\n");
  return text;
}

std::string points_text(const TracedSchedule& schedule) {
  std::vector<std::string> points;
  for (const TracedPoint& point : schedule.points) {
    const std::string what = point.rule.starts_with("kept")     ? ""
                             : point.rule.starts_with("stored") ? " saved"
                                                                : " storage";
    points.push_back(code(point.name) + what);
  }
  return report::joined(points, ", ");
}

void add_recipes(std::string& text, const OpDef& op, const std::vector<TracedSchedule>& schedules,
                 std::optional<bool> training) {
  const std::string mode = !training.has_value() ? "" : *training ? ", training" : ", inference";
  for (const TracedSchedule& schedule : schedules) {
    const auto recipe = std::find_if(op.recipes.begin(), op.recipes.end(), [&](const Recipe& one) {
      return one.name == schedule.name && one.training == training.value_or(false);
    });
    const std::string budget = recipe == op.recipes.end() ? "" : report::short_number(recipe->budget);
    add_row(text, {code(schedule.name) + mode + (schedule.lossy ? ", lossy" : ""), schedule.doc, points_text(schedule),
                   budget});
  }
}

std::string sums_text(const std::vector<TracedSchedule>& schedules) {
  std::vector<std::string> sums;
  for (const TracedSchedule& schedule : schedules) {
    for (const TracedSum& sum : schedule.sums) {
      if (std::find(sums.begin(), sums.end(), sum.what) == sums.end()) sums.push_back(sum.what);
    }
  }
  return sums.empty() ? "Limit: no sums." : "Limit: counts " + report::joined(sums, "; ") + ".";
}

}  // namespace

std::string op_section(const OpDef& op) {
  const graph::Interface interface = graph::interface_of(op);
  const bool modes = has_attribute(interface, "bn");
  std::string text = "\n## " + op.name + "\n\n" + code(op.formula);
  if (!op.aliases.empty()) text += ", also called " + report::joined(op.aliases, ", ");
  text += op.doc.empty() ? "\n" : "\n\n" + op.doc + "\n";
  if (op.fused()) text += "\n```\n" + statements(op) + "\n```\n";
  text += tensors_text(graph::body_of(op), interface) + attributes_text(interface);
  const std::vector<TracedSchedule> schedules = sample_schedules(op, interface, false);
  if (op.fused()) {
    text += "\n| recipe | how it computes | rounding points | budget |\n|---|---|---|---|\n";
    add_recipes(text, op, schedules, modes ? std::optional(false) : std::nullopt);
    if (modes) add_recipes(text, op, sample_schedules(op, interface, true), true);
  }
  text += "\n" + sums_text(schedules) + "\n";
  for (const Structural& output : op.structural) {
    text += "\n" + code(output.output) + (output.training_only ? " in training" : "") +
            " proves nothing: " + output.reason + ".\n";
  }
  return text;
}

std::string op_reference() {
  std::string text = introduction;
  for (const bool fused : {true, false}) {
    text += fused ? "\nFused ops:" : "\nPrimitives:";
    for (const OpDef& op : all_ops()) {
      if (op.fused() == fused) text += " [" + op.name + "](#" + lower(op.name) + ")";
    }
    text += "\n";
  }
  for (const OpDef& op : all_ops()) text += op_section(op);
  return text;
}

}  // namespace fusecheck
