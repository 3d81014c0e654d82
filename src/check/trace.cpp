#include "check/trace.hpp"

#include <algorithm>
#include <set>

#include "graph/evaluate.hpp"
#include "run/context.hpp"
#include "run/trace_kernel.hpp"

namespace fusecheck {
namespace {

using run::Event;
using run::TraceKernel;

struct Phases {
  std::vector<Event> forward, backward;
};

// One kernel, forward alone and then both: what comes after the forward's events is the backward's.
Phases phases_of(const graph::Request& request, const Recipe* recipe) {
  const auto run = [&](bool backward) {
    graph::Request traced = request;
    traced.backward = backward;
    return run::trace(traced, recipe);
  };
  Phases phases;
  if (request.forward || !request.backward) phases.forward = run(false);
  if (!request.backward) return phases;
  const std::size_t length = run(false).size();
  const std::vector<Event> both = run(true);
  phases.backward.assign(both.begin() + static_cast<std::ptrdiff_t>(length), both.end());
  return phases;
}

// Adds up one phase: each tensor once in each direction; `is_saved` decides what only the backward needs.
template <typename Bytes, typename IsSaved>
void add_traffic(const std::vector<Event>& events, const Bytes& bytes, const IsSaved& is_saved, std::int64_t& moved,
                 std::int64_t& saved) {
  std::set<std::pair<Event::Kind, std::string>> seen;
  std::set<std::string> written;
  for (const Event& event : events) {
    const bool write = event.kind == Event::Kind::write;
    if (!write && event.kind != Event::Kind::read) continue;
    if (!write && written.contains(event.name)) continue;  // still on the chip
    if (write) written.insert(event.name);
    if (!seen.insert({event.kind, event.name}).second) continue;
    (write && is_saved(event.name) ? saved : moved) += bytes(event.name);
  }
}

std::int64_t bytes_of(const run::Context& context, const std::string& tensor) {
  return element_count(context.shapes.at(tensor)) * static_cast<std::int64_t>(size_of(context.dtype_of(tensor)));
}

Traffic fused_traffic(const run::Context& context, const Phases& phases) {
  const auto is_saved = [&](const std::string& name) {
    return std::any_of(context.interface.saved.begin(), context.interface.saved.end(),
                       [&](const Port& port) { return port.name == name; });
  };
  const auto bytes = [&](const std::string& name) { return bytes_of(context, name); };
  Traffic traffic;
  add_traffic(phases.forward, bytes, is_saved, traffic.forward, traffic.saved);
  add_traffic(phases.backward, bytes, is_saved, traffic.backward, traffic.saved);
  return traffic;
}

// Each primitive alone, its ports renamed to the edges of the body; a gradient "dx" is that of the edge bound to x.
Traffic unfused_traffic(const run::Context& context) {
  Traffic traffic;
  for (const graph::Node& node : graph::body_of(*context.op).nodes) {
    const Attrs attrs = graph::attributes_of(node, context.attrs);
    graph::Request request;
    request.op = node.op;
    request.attrs = &attrs;
    request.backward = context.backward;
    std::map<std::string, std::string> edges = {{node.op->outputs.front().name, node.result}};
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const std::string& port = node.op->inputs[i].name;
      if (const auto constant = graph::literal(node.arguments[i])) {
        request.inputs[port] = TraceKernel().constant(*constant);
        continue;
      }
      const auto shape = context.shapes.find(node.arguments[i]);
      if (shape == context.shapes.end()) continue;
      edges[port] = node.arguments[i];
      request.inputs[port] = TraceKernel::in_memory(shape->second, port);
    }
    request.inputs["dy"] = TraceKernel::in_memory(context.shapes.at(node.result), "dy");
    edges["dy"] = node.result;
    for (const auto& [port, name] : node.names) edges[port] = name;
    const auto bytes = [&](const std::string& name) {
      const auto edge = edges.find(name);
      if (edge != edges.end()) return bytes_of(context, edge->second);
      const auto of = name.starts_with("d") ? edges.find(name.substr(1)) : edges.end();
      return bytes_of(context, of == edges.end() ? name : of->second);
    };
    const auto is_saved = [&](const std::string& name) {
      return std::any_of(node.op->saved.begin(), node.op->saved.end(),
                         [&](const Port& port) { return port.name == name; });
    };
    const Phases phases = phases_of(request, nullptr);
    if (context.forward) add_traffic(phases.forward, bytes, is_saved, traffic.forward, traffic.saved);
    add_traffic(phases.backward, bytes, is_saved, traffic.backward, traffic.saved);
  }
  return traffic;
}

std::string rule_text(const run::Context& context, const run::Schedule& schedule, const Event& event) {
  const auto rule = schedule.points.find(event.name);
  std::optional<DType> dtype;
  if (rule != schedule.points.end()) {
    dtype = rule->second;
  } else if (schedule.store_edges || event.kind == Event::Kind::operand) {
    dtype = context.dtype;
  }
  return dtype ? "rounded to " + std::string(name_of(*dtype)) : "kept in f32";
}

// A mask is not rounded.
bool stores_a_saved_value(const run::Context& context, const Event& event) {
  if (event.kind != Event::Kind::write || context.dtype_of(event.name) == DType::boolean) return false;
  return std::any_of(context.interface.saved.begin(), context.interface.saved.end(),
                     [&](const Port& port) { return port.name == event.name; });
}

void describe(const run::Context& context, const run::Schedule& schedule, const std::vector<Event>& events,
              TracedSchedule& traced) {
  for (const Event& event : events) {
    if (event.kind == Event::Kind::round || event.kind == Event::Kind::operand) {
      const bool known = std::any_of(traced.points.begin(), traced.points.end(),
                                     [&](const TracedPoint& point) { return point.name == event.name; });
      if (!known) traced.points.push_back({event.name, rule_text(context, schedule, event)});
    }
    if (stores_a_saved_value(context, event)) {
      traced.points.push_back({event.name, "stored in " + std::string(name_of(context.dtype_of(event.name)))});
    }
    if (event.kind == Event::Kind::sum) {
      const bool known = std::any_of(traced.sums.begin(), traced.sums.end(), [&](const TracedSum& sum) {
        return sum.what == event.name && sum.terms == event.terms;
      });
      if (!known) traced.sums.push_back({event.name, event.terms});
    }
  }
}

std::string doc_of(const run::Schedule& schedule) {
  if (schedule.recipe != nullptr) return schedule.recipe->doc;
  if (schedule.store_edges && schedule.name != "unfused")
    return "as unfused, but gradients that add up are stored once";
  if (schedule.store_edges) return "every edge rounded to storage, one kernel each";
  return schedule.declared ? "the casts of the body round, everything else is kept" : "no cast rounds, all is kept";
}

}  // namespace

std::vector<TracedSchedule> trace_schedules(const CaseSpec& spec) {
  const run::Context context = run::make_context(spec);
  graph::Request request = run::traced_request(context);
  request.forward = context.forward;
  request.backward = context.backward;
  std::vector<TracedSchedule> all;
  for (const run::Schedule& schedule : run::schedules_of(context, true)) {
    TracedSchedule traced;
    traced.name = schedule.name;
    traced.lossy = schedule.lossy;
    traced.doc = doc_of(schedule);
    const Phases phases = phases_of(request, schedule.recipe);
    describe(context, schedule, phases.forward, traced);
    describe(context, schedule, phases.backward, traced);
    traced.traffic = schedule.store_edges ? unfused_traffic(context) : fused_traffic(context, phases);
    all.push_back(std::move(traced));
  }
  return all;
}

}  // namespace fusecheck
