#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "run/context.hpp"
#include "run/trace_kernel.hpp"

namespace fusecheck::run {
namespace {

std::optional<DType> rule_of(const Context& context, const std::string& text) {
  if (text == "keep") return std::nullopt;
  if (text == "storage") return context.dtype;
  const DType dtype = parse_dtype(text);
  if (!is_floating(dtype)) usage_error("--round: '" + text + "' is not a floating type, 'storage' or 'keep'");
  return dtype;
}

// Inputs and edges that several calls read, and whose gradients therefore add up.
std::vector<std::string> shared_tensors(const Context& context) {
  const std::vector<graph::Node> nodes = graph::body_of(*context.op).nodes;
  std::vector<std::string> candidates, shared;
  for (const Port& input : context.interface.inputs) {
    if (input.gradient) candidates.push_back(input.name);
  }
  for (const graph::Node& node : nodes) candidates.push_back(node.result);
  for (const std::string& name : candidates) {
    std::ptrdiff_t uses = 0;
    for (const graph::Node& node : nodes) uses += std::ranges::count(node.arguments, name);
    if (uses > 1) shared.push_back(name);
  }
  return shared;
}

// Each edge is stored. Gradients that add up are edges as well, or are kept until their sum is stored: what a kernel
// that adds to its accumulator does.
std::vector<Schedule> unfused(const Context& context) {
  Schedule stored;
  stored.name = "unfused";
  stored.store_edges = true;
  for (const graph::Node& node : graph::body_of(*context.op).nodes) {  // a stored cast has its own type
    if (node.cast) stored.points[node.result] = *node.cast;
  }
  Schedule kept = stored;
  for (const std::string& name : context.backward ? shared_tensors(context) : std::vector<std::string>{}) {
    const std::string part = "d" + name + "_part";
    const auto dtype = context.dtypes.find("d" + name);  // an input's gradient may have its own
    if (dtype != context.dtypes.end()) stored.points[part] = dtype->second;
    kept.points[part] = std::nullopt;
    kept.name += " " + part + "=keep";
  }
  if (kept.name == stored.name) return {stored};
  return {kept, stored};
}

Schedule of_recipe(const Context& context, const Recipe& recipe) {
  Schedule schedule;
  schedule.name = recipe.name;
  schedule.recipe = &recipe;
  schedule.lossy = recipe.lossy;
  for (const auto& [point, text] : recipe.points) schedule.points[point] = rule_of(context, text);
  return schedule;
}

// Whether the primitive multiplies and adds up in a contraction, worked out on shapes alone.
bool contracts(const Context& context, const graph::Node& node) {
  const Attrs attrs = graph::attributes_of(node, context.attrs);
  TraceKernel kernel;
  Io io(kernel, attrs, Storing::later);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const std::string& port = node.op->inputs[i].name;
    if (const auto constant = graph::literal(node.arguments[i])) {
      io.bind(port, kernel.constant(*constant));
    } else if (const auto shape = context.shapes.find(node.arguments[i]); shape != context.shapes.end()) {
      io.bind(port, TraceKernel::in_memory(shape->second, port));
    }
  }
  node.op->forward(kernel, io);
  return std::any_of(kernel.events().begin(), kernel.events().end(),
                     [](const Event& event) { return event.kind == Event::Kind::sum && event.name == "convolution"; });
}

// A body without a kernel of its own, its casts obeyed or passed by. What feeds a contraction, forward and backward, is
// rounded to the operand type, as everywhere (J2).
Schedule body_schedule(const Context& context, const std::string& name, bool casts) {
  Schedule schedule;
  schedule.name = name;
  schedule.declared = casts;
  const std::vector<graph::Node> nodes = graph::body_of(*context.op).nodes;
  std::set<std::string> edges;
  for (const graph::Node& node : nodes) {
    if (contracts(context, node)) {
      for (std::size_t i = 0; i < node.arguments.size(); ++i) {
        const bool operand = node.op->inputs[i].role == Role::data && edges.contains(node.arguments[i]);
        if (operand) schedule.points.emplace(node.arguments[i], context.dtype);
      }
      schedule.points["d" + node.result] = context.dtype;
    }
    if (casts && node.cast) schedule.points[node.result] = *node.cast;
    edges.insert(node.result);
  }
  return schedule;
}

// Marks the outputs that a backward finds in memory.
class RereadTrace final : public TraceKernel {
 public:
  Value reread(const Value& stored, const Value&) override { return in_memory(stored.shape, "output"); }
};

bool backward_reads_outputs(const Context& context) {
  if (!context.backward || context.dtype == DType::f32) return false;
  RereadTrace kernel;
  graph::run(kernel, nullptr, traced_request(context));
  return std::any_of(kernel.events().begin(), kernel.events().end(),
                     [](const Event& event) { return event.kind == Event::Kind::read && event.name == "output"; });
}

bool has_casts(const Context& context) {
  const auto& casts = context.interface.casts;
  return std::any_of(casts.begin(), casts.end(),
                     [&](const auto& cast) { return cast.first != context.interface.first_output; });
}

// Every name that the schedule's kernel passes to round() or operand(), in its order.
std::vector<std::string> point_names(const Context& context, const Schedule& schedule,
                                     const std::set<Event::Kind>& kinds = {Event::Kind::round, Event::Kind::operand}) {
  std::vector<std::string> names;
  for (const Event& event : trace(traced_request(context), schedule.recipe)) {
    if (!kinds.contains(event.kind)) continue;
    if (std::find(names.begin(), names.end(), event.name) == names.end()) names.push_back(event.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> operand_points(const Context& context, const Schedule& schedule) {
  return point_names(context, schedule, {Event::Kind::operand});
}

bool has_quotients(const Context& context, const Schedule& schedule) {
  const std::vector<Event> events = trace(traced_request(context), schedule.recipe);
  return std::any_of(events.begin(), events.end(), [](const Event& e) { return e.kind == Event::Kind::quotient; });
}

std::vector<Schedule> schedules_of(const Context& context, bool with_lossy) {
  std::vector<Schedule> schedules;
  for (const Recipe& recipe : context.op->recipes) {
    if (recipe.training == context.training && (with_lossy || !recipe.lossy)) {
      schedules.push_back(of_recipe(context, recipe));
    }
  }
  // Recipes of an op without batch_norm serve both modes; such an op has no attribute "bn", so training is false there.
  const bool own = context.op->fused() && context.op->recipes.empty();
  const bool declares = own && has_casts(context);
  if (declares) schedules.push_back(body_schedule(context, "as-written", true));
  if (own) schedules.push_back(body_schedule(context, "fused", false));
  const std::vector<Schedule> each_edge = unfused(context);
  schedules.insert(schedules.end(), each_edge.begin(), each_edge.end());
  if (context.op->recipes.empty() && backward_reads_outputs(context)) {
    for (Schedule schedule : each_edge) {
      schedule.name.replace(0, std::string_view("unfused").size(), "recompute");
      schedule.recompute = true;
      schedules.push_back(std::move(schedule));
    }
  }
  if (!declares) return schedules;
  for (Schedule& schedule : schedules) schedule.offered = !schedule.declared;
  if (!with_lossy) std::erase_if(schedules, [](const Schedule& schedule) { return schedule.offered; });
  return schedules;
}

Schedule find_schedule(const Context& context, const std::string& recipe,
                       const std::map<std::string, std::string, std::less<>>& rounds) {
  const std::vector<Schedule> known = schedules_of(context, true);
  const std::string wanted = recipe.empty() ? known.front().name : recipe;
  auto found = std::find_if(known.begin(), known.end(), [&](const Schedule& s) { return s.name == wanted; });
  if (found == known.end()) {
    std::vector<std::string> names;
    for (const Schedule& schedule : known) names.push_back(schedule.name);
    const bool other_mode = std::any_of(context.op->recipes.begin(), context.op->recipes.end(),
                                        [&](const Recipe& r) { return r.name == wanted; });
    if (other_mode) {
      usage_error("recipe '" + wanted + "' of " + context.op->name + " is not for --bn " +
                  (context.training ? "train" : "infer") + "; choose " + base::join(names, ", "));
    }
    usage_error(context.op->name + " has no recipe " + base::quoted(wanted) + ", but " + base::join(names, ", ") +
                base::hint(wanted, names));
  }
  Schedule schedule = *found;
  if (rounds.empty()) return schedule;
  const std::vector<std::string> points = point_names(context, schedule);
  for (const auto& [point, text] : rounds) {
    if (std::find(points.begin(), points.end(), point) == points.end()) {
      const std::string there_are = points.empty() ? std::string("none") : base::join(points, ", ");
      usage_error("--round " + point + "=" + text + ": " + "recipe " + found->name + " of " + context.op->name +
                  " has no rounding point " + base::quoted(point) + ", but " + there_are + base::hint(point, points));
    }
    schedule.points[point] = rule_of(context, text);
    schedule.name += " " + point + "=" + text;
  }
  return schedule;
}

Schedule plain_body() {
  Schedule schedule;
  schedule.name = "body";
  schedule.roundings = false;
  return schedule;
}

}  // namespace fusecheck::run
