// Sums, means and normalised rows along axes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// Number of elements that one sum over the axes runs over.
double count_along(const Shape& shape, const std::vector<int>& axes);
// Σ/n, or Σ times the rounded 1/n: both are legal. The axes stay with length 1.
Value mean(Kernel& k, const Value& x, const std::vector<int>& axes);
// mean(), with Σ x·(1/n) as legal: the terms scaled before they are added, so that the sum does not overflow (CANN's
// mean and LayerNorm), means of rows averaged, or a running mean m += (x - m)/i (Welford; PyTorch's batch statistics).
// Each rounds every term, which Σ/n does not where the sum is exact; that sum's own c covers how the roundings add up.
Value mean_in_any_order(Kernel& k, const Value& x, const std::vector<int>& axes);
// A sum divided by a count, as mean() does.
Value divided(Kernel& k, const Value& sum, double n);
// The attribute "axis" (or "axes") as axes of a tensor of that rank: -1 is the last. Usage error out of range
// or where one comes twice.
std::vector<int> axes_of(const Attrs& attrs, std::string_view name, std::size_t rank);
// x without the axes, or with length 1 there.
Shape reduced_shape(const Shape& x, const std::vector<int>& axes, bool keep);
// The last `count` axes.
std::vector<int> last_axes(const Shape& shape, int count);

// y = forward(x over the axes), which keep length 1 or (keepdims = 0) go; dx = backward(dy with length 1 there),
// repeated to the shape of x. Attributes axes, keepdims.
OpDef reduction_op(std::string name, std::string formula, Draw draw,
                   std::function<Value(Kernel&, Io&, const std::vector<int>& axes)> forward,
                   std::function<Value(Kernel&, Io&, const Value& dy, const std::vector<int>& axes)> backward);

// The largest of each row; 0 for rows without elements, of which nothing is subtracted from nothing.
Value row_maximum(Kernel& k, const Value& x, const std::vector<int>& axes);
// e^z of a softmax, legal as 2^(z·log2 e), too, as GPUs have it: the rounded product and the rounded constant move z by
// u·|z| each.
Value exponential(Kernel& k, const Value& z);
// e^(x - max) and its sum: the stable form is part of the meaning of softmax.
struct Exponentials {
  Value shifted, e, total;  // x - max; e^shifted; Σ e
};
Exponentials exponentials(Kernel& k, const Value& x, const std::vector<int>& axes);
// y·(dy - Σ dy·y): the gradient of y = softmax(x).
Value softmax_gradient(Kernel& k, const Value& y, const Value& dy, const std::vector<int>& axes);

// mean, rstd = 1/sqrt(var + eps) of x over the axes in two passes, and xhat = (x - mean)·rstd.
//
// Welford's mean is legal, too, which rounds even where Σ x does not: threads that have m_a and m_b of as many elements
// merge them as m_a + (m_b - m_a)/2, and the sum rounds by u·|m|; of what m_a and m_b had before, half is left on
// average: 2u·|m| of all merges. So the mean is allowed one rounding beside that of the quotient. A long chain within
// one thread may err more, sqrt(n)/3·u·|m| for n elements. A mean that is off by e moves the variance by e² alone: far
// below what the rounding of the two-pass mean gives it already.
struct Normalised {
  Value mean, rstd, xhat;
};
Normalised normalised(Kernel& k, const Value& x, const std::vector<int>& axes, double eps);
// rstd·(g - mean(g) - xhat·mean(g·xhat)): the gradient with respect to x, of g = dxhat.
Value normalised_gradient(Kernel& k, const Value& g, const Value& xhat, const Value& rstd,
                          const std::vector<int>& axes);

}  // namespace fusecheck::family
