// Windows that slide over the axes behind n, c: pooling, and the columns of a convolution.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// One axis. `out` windows of `taps` elements; window o begins at o·stride - before.
struct WindowAxis {
  std::int64_t length = 1, taps = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 1;
};
using WindowAxes = std::vector<WindowAxis>;

// The axes 2, 3 ... of x with the attributes kernel, stride, pad (before each axis, then after each) and dilation,
// where the op has them. `round_up`: a last window that hangs over the end counts, if it begins before the padding
// behind x. Usage error where the kernel does not fit.
WindowAxes window_axes(const Shape& x, const Attrs& attrs, bool round_up);

// The attributes kernel, stride (0: as the kernel), pad, round_up of 2-d pooling.
std::vector<AttrSpec> pool_attrs();
// n, c, windows along each axis. Usage error: no spatial axis pair, a window that holds nothing but padding.
Shape pool_shape(std::string_view op, const Shape& x, const Attrs& attrs);

// For x [n, c, ...]: the source of every element of [n, c, windows.., taps], -1 in the padding.
Indices windows_of(const Shape& x, const WindowAxes& axes);
// The same as columns [n, c, taps, windows..].
Indices columns_of(const Shape& x, const WindowAxes& axes);
std::int64_t tap_count(const WindowAxes& axes);
std::int64_t window_count(const WindowAxes& axes);

}  // namespace fusecheck::family
