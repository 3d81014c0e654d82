#include "family/reduce.hpp"

#include <algorithm>
#include <utility>

#include "family/move.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {

double count_along(const Shape& shape, const std::vector<int>& axes) {
  double n = 1;
  for (const int axis : axes) n *= static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  return n;
}

Value divided(Kernel& k, const Value& sum, double n) {
  return k.either(k.div(sum, k.constant(n)), k.mul(sum, k.div(k.constant(1), k.constant(n))));
}

Value mean(Kernel& k, const Value& x, const std::vector<int>& axes) {
  return divided(k, k.sum(x, axes), count_along(x.shape, axes));
}

Value mean_in_any_order(Kernel& k, const Value& x, const std::vector<int>& axes) {
  const Value share = k.div(k.constant(1), k.constant(count_along(x.shape, axes)));
  return k.either(mean(k, x, axes), k.sum(k.mul(x, share), axes));
}

Shape reduced_shape(const Shape& x, const std::vector<int>& axes, bool keep) {
  Shape shape;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
    if (!reduced || keep) shape.push_back(reduced ? 1 : x[i]);
  }
  return shape;
}

std::vector<int> axes_of(const Attrs& attrs, std::string_view name, std::size_t rank) {
  std::vector<int> axes;
  for (const double given : attrs.list(name)) {
    const int axis = static_cast<int>(given) + (given < 0 ? static_cast<int>(rank) : 0);
    if (axis < 0 || axis >= static_cast<int>(rank)) {
      usage_error("--attr " + std::string(name) + "=" + std::to_string(static_cast<int>(given)) +
                  ": the tensor has rank " + std::to_string(rank) + "; choose from " +
                  std::to_string(-static_cast<int>(rank)) + " to " + std::to_string(static_cast<int>(rank) - 1));
    }
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      usage_error("--attr " + std::string(name) + ": axis " + std::to_string(axis) + " comes twice; name it once");
    }
    axes.push_back(axis);
  }
  return axes;
}

OpDef reduction_op(std::string name, std::string formula, Draw draw,
                   std::function<Value(Kernel&, Io&, const std::vector<int>& axes)> forward,
                   std::function<Value(Kernel&, Io&, const Value& dy, const std::vector<int>& axes)> backward) {
  const auto axes = [](const Io& io) { return axes_of(io.attrs(), "axes", io["x"].shape.size()); };
  OpDef op;
  op.name = std::move(name);
  op.formula = std::move(formula) + " over the axes";
  op.inputs = {{.name = "x", .doc = "any shape of rank 1 or more", .draw = draw}};
  op.outputs = {{.name = "y", .doc = "the shape of x, with length 1 or nothing in place of the axes"}};
  op.attrs = {
      {.name = "axes",
       .fallback = {-1},
       .doc = "axes to reduce, -1 is the last",
       .low = -8,
       .high = 7,
       .counts = {1, 2, 3, 4, 5, 6, 7, 8}},
      {.name = "keepdims", .fallback = {1}, .doc = "1: reduced axes stay with length 1, 0: they go", .high = 1}};
  op.infer = [](Shapes& shapes, const Attrs& attrs) {
    const Shape& x = shapes.at("x");
    shapes["y"] = reduced_shape(x, axes_of(attrs, "axes", x.size()), attrs.integer("keepdims") == 1);
  };
  op.forward = [axes, forward = std::move(forward)](Kernel& k, Io& io) {
    const Shape y = reduced_shape(io["x"].shape, axes(io), io.attrs().integer("keepdims") == 1);
    io.out("y", k.reshape(forward(k, io, axes(io)), y));
  };
  op.backward = [axes, backward = std::move(backward)](Kernel& k, Io& io) {
    const Shape& x = io["x"].shape;
    const Value dy = k.reshape(io["dy"], reduced_shape(x, axes(io), true));
    io.out("dx", repeated(k, backward(k, io, dy, axes(io)), x));
  };
  return op;
}

std::vector<int> last_axes(const Shape& shape, int count) {
  std::vector<int> axes;
  for (int axis = static_cast<int>(shape.size()) - count; axis < static_cast<int>(shape.size()); ++axis) {
    axes.push_back(axis);
  }
  return axes;
}

Value row_maximum(Kernel& k, const Value& x, const std::vector<int>& axes) {
  return count_along(x.shape, axes) == 0 ? k.sum(x, axes) : k.maximum(x, axes);
}

Value exponential(Kernel& k, const Value& z) {
  constexpr double log2_of_e = 0x1.71547652b82fep+0, log_of_2 = 0x1.62e42fefa39efp-1;
  const Value octaves = k.mul(z, k.constant(log2_of_e));
  return k.either(k.function(Function::exp, z), k.function(Function::exp, k.mul(octaves, k.constant(log_of_2))));
}

Exponentials exponentials(Kernel& k, const Value& x, const std::vector<int>& axes) {
  Exponentials result;
  result.shifted = k.sub(x, row_maximum(k, x, axes));
  result.e = exponential(k, result.shifted);
  result.total = k.sum(result.e, axes);
  return result;
}

Value softmax_gradient(Kernel& k, const Value& y, const Value& dy, const std::vector<int>& axes) {
  return k.mul(y, k.sub(dy, k.sum(k.mul(dy, y), axes)));
}

Normalised normalised(Kernel& k, const Value& x, const std::vector<int>& axes, double eps) {
  const Value two_pass = mean(k, x, axes), apart = k.sub(x, two_pass);
  const Value var = mean(k, k.mul(apart, apart), axes);
  Normalised result;
  result.mean = k.either(two_pass, k.mul(two_pass, k.constant(1)));  // a rounding more
  const Value d = k.sub(x, result.mean);
  result.rstd = k.div(k.constant(1), k.sqrt(k.add(var, k.constant(eps))));
  result.xhat = k.mul(d, result.rstd);
  return result;
}

Value normalised_gradient(Kernel& k, const Value& g, const Value& xhat, const Value& rstd,
                          const std::vector<int>& axes) {
  const Value centred = k.sub(g, mean(k, g, axes));
  const Value projected = k.mul(xhat, mean(k, k.mul(g, xhat), axes));
  return k.mul(rstd, k.sub(centred, projected));
}

}  // namespace fusecheck::family
