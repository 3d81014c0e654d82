// The terms of a convolution, y[n,oc,oh,ow] = Σ x[n,c,h,w]·w[oc,c,kh,kw], and of both its gradients, which sum the same
// products of two over the third: all those that one element enters. Taps on padding are left out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck::engine {

enum class Role : std::uint8_t { x, w, y };

// Flat positions of one term: its element of x, of w and of y, in the order of Role.
using Term = std::array<std::int64_t, 3>;
inline std::int64_t at(const Term& term, Role role) { return term[static_cast<std::size_t>(role)]; }

struct Roles {
  Role a, b, out;
};
inline Roles roles_of(Direction direction) {
  if (direction == Direction::forward) return {Role::x, Role::w, Role::y};
  return direction == Direction::data_gradient ? Roles{Role::y, Role::w, Role::x} : Roles{Role::x, Role::y, Role::w};
}

inline Shape shape_of(const Conv2dGeometry& g, Role role) {
  if (role == Role::x) return {g.n, g.c, g.h, g.w};
  return role == Role::w ? Shape{g.oc, g.c / g.groups, g.kh, g.kw} : Shape{g.n, g.oc, g.oh(), g.ow()};
}

// A position along one axis of y to which a tap at `tap` brings position `x` of the input, or -1.
inline std::int64_t output_position(std::int64_t x, std::int64_t pad, std::int64_t tap, std::int64_t stride,
                                    std::int64_t size) {
  const std::int64_t shifted = x + pad - tap;
  if (shifted < 0 || shifted % stride != 0 || shifted / stride >= size) return -1;
  return shifted / stride;
}

// One tap of a filter, and what it brings an element to: an offset in a plane of the other tensor.
struct Tap {
  std::int64_t tap, place;
};

// The taps through which position (y, x) of the input enters the output.
inline std::vector<Tap> taps_to_output(const Conv2dGeometry& g, std::int64_t y, std::int64_t x) {
  const std::int64_t oh = g.oh(), ow = g.ow();
  std::vector<Tap> taps;
  for (std::int64_t i = 0; i < g.kh; ++i) {
    const std::int64_t row = output_position(y, g.pad_top, i * g.dilation_h, g.stride_h, oh);
    for (std::int64_t j = 0; row >= 0 && j < g.kw; ++j) {
      const std::int64_t column = output_position(x, g.pad_left, j * g.dilation_w, g.stride_w, ow);
      if (column >= 0) taps.push_back({i * g.kw + j, row * ow + column});
    }
  }
  return taps;
}

// The taps through which position (y, x) of the output reads the input.
inline std::vector<Tap> taps_to_input(const Conv2dGeometry& g, std::int64_t y, std::int64_t x) {
  std::vector<Tap> taps;
  for (std::int64_t i = 0; i < g.kh; ++i) {
    const std::int64_t row = y * g.stride_h + i * g.dilation_h - g.pad_top;
    for (std::int64_t j = 0; row >= 0 && row < g.h && j < g.kw; ++j) {
      const std::int64_t column = x * g.stride_w + j * g.dilation_w - g.pad_left;
      if (column >= 0 && column < g.w) taps.push_back({i * g.kw + j, row * g.w + column});
    }
  }
  return taps;
}

// In the order oc, kh, kw: the terms of one element of dx.
template <class Visit>
void for_terms_with_x(const Conv2dGeometry& g, std::int64_t x, Visit visit) {
  const std::vector<std::int64_t> index = index_of(x, shape_of(g, Role::x));
  const std::int64_t channels = g.c / g.groups, out_channels = g.oc / g.groups, group = index[1] / channels;
  const std::int64_t plane = g.oh() * g.ow();
  const std::vector<Tap> taps = taps_to_output(g, index[2], index[3]);
  for (std::int64_t oc = group * out_channels; oc < (group + 1) * out_channels; ++oc) {
    const std::int64_t filter = (oc * channels + index[1] % channels) * g.kh * g.kw;
    const std::int64_t image = (index[0] * g.oc + oc) * plane;
    for (const Tap& tap : taps) visit(Term{x, filter + tap.tap, image + tap.place});
  }
}

// In the order n, oh, ow: the terms of one element of dw.
template <class Visit>
void for_terms_with_w(const Conv2dGeometry& g, std::int64_t w, Visit visit) {
  const std::vector<std::int64_t> index = index_of(w, shape_of(g, Role::w));
  const std::int64_t c = index[0] / (g.oc / g.groups) * (g.c / g.groups) + index[1];
  const std::int64_t oh = g.oh(), ow = g.ow();
  for (std::int64_t n = 0; n < g.n; ++n) {
    for (std::int64_t i = 0; i < oh; ++i) {
      const std::int64_t row = i * g.stride_h + index[2] * g.dilation_h - g.pad_top;
      if (row < 0 || row >= g.h) continue;
      const std::int64_t from = ((n * g.c + c) * g.h + row) * g.w, to = ((n * g.oc + index[0]) * oh + i) * ow;
      std::int64_t column = index[3] * g.dilation_w - g.pad_left;
      for (std::int64_t j = 0; j < ow; ++j, column += g.stride_w) {
        if (column >= 0 && column < g.w) visit(Term{from + column, w, to + j});
      }
    }
  }
}

// In the order c, kh, kw: the terms of one element of y.
template <class Visit>
void for_terms_with_y(const Conv2dGeometry& g, std::int64_t y, Visit visit) {
  const std::vector<std::int64_t> index = index_of(y, shape_of(g, Role::y));
  const std::int64_t channels = g.c / g.groups, first = index[1] / (g.oc / g.groups) * channels;
  const std::vector<Tap> taps = taps_to_input(g, index[2], index[3]);
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t image = (index[0] * g.c + first + c) * g.h * g.w;
    const std::int64_t filter = (index[1] * channels + c) * g.kh * g.kw;
    for (const Tap& tap : taps) visit(Term{image + tap.place, filter + tap.tap, y});
  }
}

template <class Visit>
void for_terms_with(const Conv2dGeometry& g, Role role, std::int64_t element, Visit visit) {
  if (role == Role::x) return for_terms_with_x(g, element, visit);
  if (role == Role::w) return for_terms_with_w(g, element, visit);
  for_terms_with_y(g, element, visit);
}

}  // namespace fusecheck::engine
