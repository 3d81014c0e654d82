#include "family/reduce.hpp"

#include <string>

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

std::vector<int> axes_of(const Attrs& attrs, std::string_view name, std::size_t rank) {
  std::vector<int> axes;
  for (const double given : attrs.list(name)) {
    const int axis = static_cast<int>(given) + (given < 0 ? static_cast<int>(rank) : 0);
    if (axis < 0 || axis >= static_cast<int>(rank)) {
      usage_error("--attr " + std::string(name) + "=" + std::to_string(static_cast<int>(given)) +
                  ": the tensor has rank " + std::to_string(rank) + "; choose from " +
                  std::to_string(-static_cast<int>(rank)) + " to " + std::to_string(static_cast<int>(rank) - 1));
    }
    axes.push_back(axis);
  }
  return axes;
}

std::vector<int> last_axes(const Shape& shape, int count) {
  std::vector<int> axes;
  for (int axis = static_cast<int>(shape.size()) - count; axis < static_cast<int>(shape.size()); ++axis) {
    axes.push_back(axis);
  }
  return axes;
}

Exponentials exponentials(Kernel& k, const Value& x, const std::vector<int>& axes) {
  Exponentials result;
  result.shifted = k.sub(x, k.maximum(x, axes));
  result.e = k.function(Function::exp, result.shifted);
  result.total = k.sum(result.e, axes);
  return result;
}

Value softmax_gradient(Kernel& k, const Value& y, const Value& dy, const std::vector<int>& axes) {
  return k.mul(y, k.sub(dy, k.sum(k.mul(dy, y), axes)));
}

Normalised normalised(Kernel& k, const Value& x, const std::vector<int>& axes, double eps) {
  Normalised result;
  result.mean = mean(k, x, axes);
  const Value d = k.sub(x, result.mean);
  const Value var = mean(k, k.mul(d, d), axes);
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
