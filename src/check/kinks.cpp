#include <algorithm>
#include <cstdint>
#include <span>

#include "check/stage.hpp"
#include "run/trace_kernel.hpp"

namespace fusecheck {

namespace {

// For each axis of the mask, the axis of dy that it became, or -1: dy has the mask's axes in order, some of them gone.
// The first such match from the left, or from the right; empty where there is none.
std::vector<int> axes_in_dy(const Shape& mask, const Shape& dy, bool from_left) {
  const int rank = static_cast<int>(mask.size());
  std::vector<int> axes(mask.size(), -1);
  int next = from_left ? 0 : static_cast<int>(dy.size()) - 1;
  for (int step = 0; step < rank; ++step) {
    const auto axis = static_cast<std::size_t>(from_left ? step : rank - 1 - step);
    if (next < 0 || next >= static_cast<int>(dy.size()) || dy[static_cast<std::size_t>(next)] != mask[axis]) continue;
    axes[axis] = next;
    next += from_left ? 1 : -1;
  }
  const bool whole = next == (from_left ? static_cast<int>(dy.size()) : -1);
  return whole ? axes : std::vector<int>{};
}

// The same where dy kept the mask's rank, with length 1 at some axes, or where the mask has a window behind dy's axes;
// else the one match there is.
std::vector<int> axes_in_dy(const Shape& mask, const Shape& dy) {
  if (mask.size() == dy.size() + 1 && std::equal(dy.begin(), dy.end(), mask.begin())) {
    return axes_in_dy(mask, dy, true);
  }
  if (mask.size() != dy.size()) {
    const std::vector<int> axes = axes_in_dy(mask, dy, true);
    return axes == axes_in_dy(mask, dy, false) ? axes : std::vector<int>{};
  }
  std::vector<int> axes(mask.size(), -1);
  for (std::size_t axis = 0; axis < dy.size(); ++axis) {
    if (dy[axis] != mask[axis] && dy[axis] != 1) return {};
    if (dy[axis] == mask[axis]) axes[axis] = static_cast<int>(axis);
  }
  return axes;
}

}  // namespace

std::vector<std::int64_t> reached_dy(const Shape& mask, const Shape& dy) {
  const std::vector<int> axes = axes_in_dy(mask, dy);
  if (axes.size() != mask.size()) return {};
  Shape strides(dy.size(), 1);
  for (std::size_t axis = dy.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dy[axis];
  std::vector<std::int64_t> to(static_cast<std::size_t>(element_count(mask)));
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), at = 0;
    for (std::size_t axis = mask.size(); axis-- > 0;) {
      if (axes[axis] >= 0) at += rest % mask[axis] * strides[static_cast<std::size_t>(axes[axis])];
      rest /= mask[axis];
    }
    to[i] = at;
  }
  return to;
}

namespace {

// What decides a schedule's signs: all that its forward reads, writes, rounds and sums, and how.
struct Signs {
  std::vector<std::pair<run::Event::Kind, std::string>> steps;
  bool store_edges;
  std::map<std::string, std::optional<DType>, std::less<>> points;
  bool operator==(const Signs&) const = default;
};

Signs signs_of(const run::Context& context, const run::Schedule& schedule) {
  Signs signs{{}, schedule.store_edges, schedule.points};
  graph::Request request = run::traced_request(context);
  request.backward = false;
  for (const run::Event& event : run::trace(request, schedule.recipe)) {
    signs.steps.emplace_back(event.kind, event.name);
  }
  return signs;
}

// The forward of every schedule that a candidate may follow, once where recipes differ in their backward alone. Those
// that are judged go on from there once dy is settled, of the others nobody sees y.
std::vector<std::uint8_t> uncertain_signs(Stage& stage, const Shape& dy, const std::vector<run::Schedule>& judged) {
  std::vector<std::uint8_t> uncertain(static_cast<std::size_t>(element_count(dy)), 0);
  std::map<std::string, std::vector<std::uint8_t>> first;  // the signs of the first schedule
  std::vector<Signs> seen;
  std::vector<run::Schedule> schedules = run::schedules_of(stage.context, false);
  schedules.push_back(run::plain_body());  // what the recipes are compared with (J2)
  for (const run::Schedule& schedule : schedules) {
    run::TruthOptions options = truth_options(stage.request.spec.model);
    options.intervals = schedule.roundings;
    const auto wanted = std::find_if(judged.begin(), judged.end(),
                                     [&](const run::Schedule& other) { return other.name == schedule.name; });
    options.only_saved = wanted == judged.end();
    Signs signs = signs_of(stage.context, schedule);
    if (options.only_saved && std::find(seen.begin(), seen.end(), signs) != seen.end()) continue;
    seen.push_back(std::move(signs));
    stage.clock.enter(options.only_saved ? "kinks" : "truth");
    run::TruthForward forward = run::start_truth(stage.context, schedule, stage.loaded, options, stage.memo);
    stage.clock.enter("kinks");
    for (const Port& port : stage.context.interface.saved) {
      const std::string& name = port.name;
      if (stage.context.dtype_of(name) != DType::boolean) continue;
      const bool same = stage.context.shapes.at(name) == dy;
      const std::vector<std::int64_t> to =
          same ? std::vector<std::int64_t>{} : reached_dy(stage.context.shapes.at(name), dy);
      if (!same && to.empty()) continue;
      std::vector<std::uint8_t>& known = first[name];
      const bool others = !known.empty();
      if (!others) known.resize(static_cast<std::size_t>(element_count(stage.context.shapes.at(name))));
      using Values = std::span<const double>;
      run::look_at_saved(forward, name, !options.only_saved, [&](std::size_t begin, Values v, Values low, Values high) {
        for (std::size_t i = 0; i < v.size(); ++i) {
          const std::uint8_t sign = v[i] == 0 ? 0 : 1;
          if (!others) known[begin + i] = sign;
          if (low[i] == high[i] && sign == known[begin + i]) continue;
          uncertain[same ? begin + i : static_cast<std::size_t>(to[begin + i])] = 1;
        }
      });
    }
    if (wanted != judged.end()) stage.forwards.emplace(schedule.name, std::move(forward));
  }
  return uncertain;
}

// Whether signs are open: masks are saved, and the user gave none of them.
bool has_open_mask(const Stage& stage) {
  bool open = false;
  for (const Port& port : stage.context.interface.saved) {
    if (stage.context.dtype_of(port.name) != DType::boolean) continue;
    if (stage.inputs.contains(port.name)) return false;
    open = true;
  }
  return open;
}

}  // namespace

void zero_kinks(Stage& stage, bool dy_given, const std::vector<run::Schedule>& judged) {
  const std::string dy = "d" + stage.context.interface.first_output;
  Tensor& tensor = stage.inputs.at(dy);
  stage.report.kinks_total = tensor.size();
  if (!has_open_mask(stage)) return;
  const std::vector<std::uint8_t> uncertain = uncertain_signs(stage, tensor.shape(), judged);
  std::vector<double> values = tensor.doubles();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (uncertain[i] == 0 || values[i] == 0) continue;
    ++count;
    values[i] = 0;
  }
  stage.report.kinks_zeroed = count;
  if (count == 0) return;
  if (dy_given) {
    stage.report.notes.push_back(
        std::to_string(count) + " of " + std::to_string(tensor.size()) +
        " elements have an uncertain sign in front of relu; dy is yours and stays, the limits widen");
    return;
  }
  tensor = Tensor::from(tensor.dtype(), tensor.shape(), std::span<const double>(values));
  stage.loaded.tensors[dy].second.v = run::share(std::move(values));
  if (count * 20 > tensor.size()) {  // J9: over 5 %
    stage.report.notes.push_back("dy is 0 at " + std::to_string(count) + " of " + std::to_string(tensor.size()) +
                                 " elements, where the sign in front of relu is not certain");
  }
}

}  // namespace fusecheck
