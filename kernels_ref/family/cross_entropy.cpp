#include "family/cross_entropy.hpp"

#include <utility>

#include "family/conv.hpp"
#include "family/reduce.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {
namespace {

enum : std::int64_t { none = 0, mean_of_rows = 1 };  // of the attribute; 2 is the sum

Indices shared(std::vector<std::int64_t> from) {
  return std::make_shared<const std::vector<std::int64_t>>(std::move(from));
}

std::vector<std::int64_t> targets(Kernel& k, Io& io, const Value& x) {
  const std::vector<std::int64_t> all = k.integers(io["target"]);
  for (const std::int64_t target : all) {
    if (target >= x.shape.back()) {
      usage_error("cross_entropy: target " + std::to_string(target) + " is outside [0, " +
                  std::to_string(x.shape.back()) + "), the number of classes");
    }
  }
  return all;
}

double rows_that_count(const std::vector<std::int64_t>& targets) {
  double n = 0;
  for (const std::int64_t target : targets) n += target >= 0 ? 1 : 0;
  return n;
}

// For each row the position of its target in x, -1 where it is left out.
Indices at_target(const std::vector<std::int64_t>& targets, std::int64_t classes) {
  std::vector<std::int64_t> from(targets.size());
  for (std::size_t row = 0; row < from.size(); ++row) {
    from[row] = targets[row] < 0 ? -1 : static_cast<std::int64_t>(row) * classes + targets[row];
  }
  return shared(std::move(from));
}

}  // namespace

void infer_cross_entropy(Shapes& shapes, const Attrs& attrs) {
  const Shape x = shapes.at("x");
  if (x.empty() || x.back() == 0)
    usage_error("cross_entropy: x is " + to_text(x) + "; it needs classes along its last axis");
  const Shape rows(x.begin(), x.end() - 1);
  require_shape(shapes, "target", rows, "one class for each row of x");
  shapes["target<"] = {x.back()};
  shapes["y"] = attrs.integer("reduction") == none ? rows : Shape{};
}

Value cross_entropy(Kernel& k, Io& io, const Value& x) {
  const std::vector<std::int64_t> target = targets(k, io, x);
  const Indices at = at_target(target, x.shape.back());
  const auto n = static_cast<std::int64_t>(target.size());
  const std::vector<int> last = last_axes(x.shape, 1);
  const Exponentials s = exponentials(k, x, last);
  const Value log_total = k.function(Function::log, s.total);
  const Value of_shifted = k.sub(k.reshape(log_total, {n}), k.pick(s.shifted, {n}, at, 0));
  const Value log_sum = k.reshape(k.add(k.maximum(x, last), log_total), {n});
  const Value every = k.either(of_shifted, k.sub(log_sum, k.pick(x, {n}, at, 0)));
  std::vector<std::int64_t> counted(target.size());
  for (std::size_t row = 0; row < counted.size(); ++row)
    counted[row] = target[row] < 0 ? -1 : static_cast<std::int64_t>(row);
  const Value loss = k.pick(every, io["target"].shape, shared(std::move(counted)), 0);
  const std::int64_t reduction = io.attrs().integer("reduction");
  if (reduction == none) return loss;
  const Value total = k.reshape(k.sum(k.reshape(loss, {n}), {0}), {});
  return reduction == mean_of_rows ? divided(k, total, rows_that_count(target)) : total;
}

Value cross_entropy_gradient(Kernel& k, Io& io, const Value& x) {
  const std::vector<std::int64_t> target = targets(k, io, x);
  const auto n = static_cast<std::int64_t>(target.size());
  const std::int64_t classes = x.shape.back(), reduction = io.attrs().integer("reduction");
  const Exponentials s = exponentials(k, x, last_axes(x.shape, 1));
  const Value log_total = k.function(Function::log, s.total);
  const Value log_sum = k.add(k.maximum(x, last_axes(x.shape, 1)), log_total);  // what a forward hands on: one number
  const Value of_logs = k.either(k.sub(s.shifted, log_total), k.sub(x, log_sum));
  const Value p = k.either(k.div(s.e, s.total), k.function(Function::exp, of_logs));
  std::vector<std::int64_t> hot(static_cast<std::size_t>(n * classes), -1), row_of_dy(target.size(), -1);
  for (std::int64_t row = 0; row < n; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (target[i] < 0) continue;
    hot[static_cast<std::size_t>(row * classes + target[i])] = 0;
    row_of_dy[i] = reduction == none ? row : 0;
  }
  const Value one_hot = k.pick(k.reshape(k.constant(1), {1}), x.shape, shared(std::move(hot)), 0);
  const Value dy = reduction == mean_of_rows ? divided(k, io["dy"], rows_that_count(target)) : io["dy"];
  Shape rows = x.shape;
  rows.back() = 1;
  const Value g = k.pick(k.reshape(dy, {element_count(dy.shape)}), rows, shared(std::move(row_of_dy)), 0);
  return k.mul(k.sub(p, one_hot), g);
}

}  // namespace fusecheck::family
