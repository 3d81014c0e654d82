#include "engine/lowering.hpp"

#include <algorithm>

namespace fusecheck::engine {

namespace {

struct Tap {
  std::int64_t channel, kh, kw;
};

// The taps of one output in summation order. A blocked layout visits c0 channels innermost; a last block that is not
// full holds the channels that exist.
std::vector<Tap> taps_in_order(std::int64_t channels, std::int64_t kh, std::int64_t kw, KOrder order, int c0) {
  const std::int64_t block = order == KOrder::c_kh_kw ? 1 : std::max(c0, 1);
  std::vector<Tap> taps;
  taps.reserve(static_cast<std::size_t>(channels * kh * kw));
  for (std::int64_t first = 0; first < channels; first += block) {
    const std::int64_t last = std::min(first + block, channels);
    for (std::int64_t i = 0; i < kh; ++i) {
      for (std::int64_t j = 0; j < kw; ++j) {
        for (std::int64_t c = first; c < last; ++c) taps.push_back({c, i, j});
      }
    }
  }
  return taps;
}

// Planes of a power of two bytes would put the same pixel of all channels into one set of the cache.
std::int64_t plane_size(std::int64_t pixels) {
  constexpr std::int64_t line = 16;  // f32 values of a cache line
  return ((pixels + line - 1) / line | 1) * line;
}

void finish_layout(PaddedLayout& layout) {
  layout.plane = plane_size(layout.height * layout.width);
  layout.image = layout.channels * layout.plane;
}

PaddedLayout padded_input(const Conv2dGeometry& g) {
  PaddedLayout layout{.images = g.n, .channels = g.c, .source_h = g.h, .source_w = g.w};
  layout.top = g.pad_top;
  layout.left = g.pad_left;
  layout.height = g.h + g.pad_top + g.pad_bottom;
  layout.width = g.w + g.pad_left + g.pad_right;
  finish_layout(layout);
  return layout;
}

// dy with stride - 1 zeros between its elements and enough zeros around them for every tap of every pixel of x.
PaddedLayout spread_gradient(const Conv2dGeometry& g) {
  PaddedLayout layout{.images = g.n, .channels = g.oc, .source_h = g.oh(), .source_w = g.ow()};
  layout.top = std::max<std::int64_t>(0, g.dilation_h * (g.kh - 1) - g.pad_top);
  layout.left = std::max<std::int64_t>(0, g.dilation_w * (g.kw - 1) - g.pad_left);
  layout.step_h = g.stride_h;
  layout.step_w = g.stride_w;
  layout.height = layout.top + g.pad_top + g.h;
  layout.width = layout.left + g.pad_left + g.w;
  finish_layout(layout);
  return layout;
}

// Calls visit(image, y, x) for every pixel of images of height x width, in order.
template <class Visit>
void for_each_pixel(std::int64_t images, std::int64_t height, std::int64_t width, Visit visit) {
  for (std::int64_t i = 0; i < images; ++i) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) visit(i, y, x);
    }
  }
}

Lowering lower_forward(const Conv2dGeometry& g, KOrder order, int c0) {
  Lowering l;
  l.groups = g.groups;
  l.columns = g.oc / g.groups;
  l.a_layout = padded_input(g);
  const PaddedLayout& a = l.a_layout;
  const std::int64_t c = g.c / g.groups, pixels = g.oh() * g.ow();
  l.a_group = c * a.plane;
  for_each_pixel(g.n, g.oh(), g.ow(), [&](std::int64_t i, std::int64_t y, std::int64_t x) {
    l.row.push_back(i * a.image + y * g.stride_h * a.width + x * g.stride_w);
    l.out_row.push_back(i * g.oc * pixels + y * g.ow() + x);
  });
  for (const Tap& tap : taps_in_order(c, g.kh, g.kw, order, c0)) {
    l.term.push_back(tap.channel * a.plane + tap.kh * g.dilation_h * a.width + tap.kw * g.dilation_w);
    l.b_term.push_back((tap.channel * g.kh + tap.kh) * g.kw + tap.kw);
  }
  l.b_step = {.group = l.columns * l.terms(), .column = l.terms()};
  l.out_step = {.group = l.columns * pixels, .column = pixels};
  return l;
}

Lowering lower_data_gradient(const Conv2dGeometry& g, KOrder order, int c0) {
  Lowering l;
  l.groups = g.groups;
  l.columns = g.c / g.groups;
  l.a_layout = spread_gradient(g);
  const PaddedLayout& a = l.a_layout;
  const std::int64_t oc = g.oc / g.groups, pixels = g.h * g.w, kernel = g.kh * g.kw;
  l.a_group = oc * a.plane;
  for_each_pixel(g.n, g.h, g.w, [&](std::int64_t i, std::int64_t y, std::int64_t x) {
    l.row.push_back(i * a.image + (y + g.pad_top + a.top) * a.width + x + g.pad_left + a.left);
    l.out_row.push_back(i * g.c * pixels + y * g.w + x);
  });
  for (const Tap& tap : taps_in_order(oc, g.kh, g.kw, order, c0)) {
    l.term.push_back(tap.channel * a.plane - tap.kh * g.dilation_h * a.width - tap.kw * g.dilation_w);
    l.b_term.push_back(tap.channel * l.columns * kernel + tap.kh * g.kw + tap.kw);
  }
  l.b_step = {.group = oc * l.columns * kernel, .column = kernel};
  l.out_step = {.group = l.columns * pixels, .column = pixels};
  return l;
}

Lowering lower_weight_gradient(const Conv2dGeometry& g) {
  Lowering l;
  l.groups = g.groups;
  l.columns = g.oc / g.groups;
  l.a_layout = padded_input(g);
  const PaddedLayout& a = l.a_layout;
  const std::int64_t c = g.c / g.groups, pixels = g.oh() * g.ow();
  l.a_group = c * a.plane;
  for (const Tap& tap : taps_in_order(c, g.kh, g.kw, KOrder::c_kh_kw, 1)) {
    l.row.push_back(tap.channel * a.plane + tap.kh * g.dilation_h * a.width + tap.kw * g.dilation_w);
    l.out_row.push_back((tap.channel * g.kh + tap.kh) * g.kw + tap.kw);
  }
  for_each_pixel(g.n, g.oh(), g.ow(), [&](std::int64_t i, std::int64_t y, std::int64_t x) {
    l.term.push_back(i * a.image + y * g.stride_h * a.width + x * g.stride_w);
    l.b_term.push_back(i * g.oc * pixels + y * g.ow() + x);
  });
  l.b_step = {.group = l.columns * pixels, .column = pixels};
  l.out_step = {.group = l.columns * l.rows(), .column = l.rows()};
  return l;
}

}  // namespace

Lowering lower(const Contraction& problem, KOrder k_order, int c0) {
  if (problem.direction == Direction::forward) return lower_forward(problem.geometry, k_order, c0);
  if (problem.direction == Direction::data_gradient) return lower_data_gradient(problem.geometry, k_order, c0);
  return lower_weight_gradient(problem.geometry);
}

ProductSize product_size(const Contraction& problem) {
  const Conv2dGeometry& g = problem.geometry;
  if (problem.direction == Direction::forward) return {g.groups, g.n * g.oh() * g.ow(), g.oc / g.groups};
  if (problem.direction == Direction::data_gradient) return {g.groups, g.n * g.h * g.w, g.c / g.groups};
  return {g.groups, g.c / g.groups * g.kh * g.kw, g.oc / g.groups};
}

}  // namespace fusecheck::engine
