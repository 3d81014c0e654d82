#include "family/window.hpp"

#include <algorithm>
#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck::family {
namespace {

// Position o·stride + t·dilation - before of every axis, for window o and tap t: row-major in each, or -1.
std::vector<std::int64_t> positions(const WindowAxes& axes) {
  std::vector<std::int64_t> all = {0};  // over the axes so far: windows x taps
  std::int64_t windows = 1, taps = 1;
  for (const WindowAxis& axis : axes) {
    std::vector<std::int64_t> next;
    next.reserve(all.size() * static_cast<std::size_t>(axis.out * axis.taps));
    for (std::int64_t w = 0; w < windows * axis.out; ++w) {
      for (std::int64_t t = 0; t < taps * axis.taps; ++t) {
        const std::int64_t outer = all[static_cast<std::size_t>(w / axis.out * taps + t / axis.taps)];
        const std::int64_t at = w % axis.out * axis.stride + t % axis.taps * axis.dilation - axis.before;
        next.push_back(outer < 0 || at < 0 || at >= axis.length ? -1 : outer * axis.length + at);
      }
    }
    all = std::move(next);
    windows *= axis.out;
    taps *= axis.taps;
  }
  return all;
}

std::int64_t plane_size(const WindowAxes& axes) {
  std::int64_t n = 1;
  for (const WindowAxis& axis : axes) n *= axis.length;
  return n;
}

}  // namespace

std::int64_t tap_count(const WindowAxes& axes) {
  std::int64_t n = 1;
  for (const WindowAxis& axis : axes) n *= axis.taps;
  return n;
}

std::int64_t window_count(const WindowAxes& axes) {
  std::int64_t n = 1;
  for (const WindowAxis& axis : axes) n *= axis.out;
  return n;
}

WindowAxes window_axes(const Shape& x, const Attrs& attrs, bool round_up) {
  WindowAxes axes(x.size() - 2);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    WindowAxis& axis = axes[i];
    axis.length = x[i + 2];
    axis.taps = attrs.integer("kernel", i);
    axis.stride = attrs.integer("stride", i) > 0 ? attrs.integer("stride", i) : axis.taps;
    axis.dilation = attrs.has("dilation") ? attrs.integer("dilation", i) : 1;
    const auto pad = [&](std::size_t side) {
      return attrs.integer("pad", side) >= 0 ? attrs.integer("pad", side) : axis.dilation * (axis.taps - 1) / 2;
    };
    axis.before = pad(i);
    axis.after = pad(i + axes.size());
    const std::int64_t reach = axis.dilation * (axis.taps - 1) + 1;
    const std::int64_t room = axis.length + axis.before + axis.after - reach;
    if (room < 0) {
      usage_error("--kernel: " + std::to_string(reach) + " elements along axis " + std::to_string(i + 2) +
                  " do not fit into x = " + to_text(x) + " with its padding; use a smaller kernel or more --pad");
    }
    axis.out = room / axis.stride + 1;
    const bool hangs_over = room % axis.stride != 0;
    if (round_up && hangs_over && axis.out * axis.stride < axis.length + axis.before) ++axis.out;
  }
  return axes;
}

std::vector<AttrSpec> pool_attrs() {
  return {
      {.name = "kernel", .fallback = {2, 2}, .doc = "window height, width", .low = 1, .high = 1024, .counts = {1, 2}},
      {.name = "stride",
       .fallback = {0, 0},
       .doc = "step down, right (0: as the kernel)",
       .high = 1024,
       .counts = {1, 2}},
      {.name = "pad",
       .fallback = {0, 0, 0, 0},
       .doc = "elements outside x at top, left, bottom, right",
       .high = 1024,
       .counts = {1, 2, 4}},
      {.name = "round_up",
       .fallback = {0},
       .doc = "1: a last window that hangs over the end counts (ceil_mode)",
       .high = 1}};
}

Shape pool_shape(std::string_view op, const Shape& x, const Attrs& attrs) {
  if (x.size() != 4) {
    usage_error(std::string(op) + ": x has shape " + to_text(x) + ", it needs 4 numbers n,c,h,w");
  }
  const WindowAxes axes = window_axes(x, attrs, attrs.integer("round_up") == 1);
  for (const WindowAxis& axis : axes) {
    if (std::max(axis.before, axis.after) < axis.taps) continue;
    usage_error("--pad " + std::to_string(std::max(axis.before, axis.after)) + " of " + std::string(op) +
                " makes windows of padding alone; it must be below the kernel, " + std::to_string(axis.taps));
  }
  return {x[0], x[1], axes[0].out, axes[1].out};
}

Indices windows_of(const Shape& x, const WindowAxes& axes) {
  const std::vector<std::int64_t> plane = positions(axes);
  std::vector<std::int64_t> from;
  from.reserve(static_cast<std::size_t>(x[0] * x[1]) * plane.size());
  for (std::int64_t p = 0; p < x[0] * x[1]; ++p) {
    for (const std::int64_t at : plane) from.push_back(at < 0 ? -1 : p * plane_size(axes) + at);
  }
  return std::make_shared<const std::vector<std::int64_t>>(std::move(from));
}

Indices columns_of(const Shape& x, const WindowAxes& axes) {
  const std::vector<std::int64_t> plane = positions(axes);
  const std::int64_t taps = tap_count(axes), windows = window_count(axes);
  std::vector<std::int64_t> from;
  from.reserve(static_cast<std::size_t>(x[0] * x[1]) * plane.size());
  for (std::int64_t p = 0; p < x[0] * x[1]; ++p) {
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t w = 0; w < windows; ++w) {
        const std::int64_t at = plane[static_cast<std::size_t>(w * taps + t)];
        from.push_back(at < 0 ? -1 : p * plane_size(axes) + at);
      }
    }
  }
  return std::make_shared<const std::vector<std::int64_t>>(std::move(from));
}

}  // namespace fusecheck::family
