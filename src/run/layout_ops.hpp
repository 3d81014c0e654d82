// Operations that move elements or choose among them, for any element type: what truth (each end of an interval) and
// emulation have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

template <class T>
std::vector<T> picked(const std::vector<T>& x, const std::vector<std::int64_t>& from, T fill) {
  std::vector<T> out(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) out[i] = from[i] < 0 ? fill : x.at(static_cast<std::size_t>(from[i]));
  return out;
}

// The shape of parts joined along an axis. Internal error where they differ elsewhere.
Shape joined_shape(const std::vector<Shape>& parts, int axis);

template <class T>
std::vector<T> joined(const std::vector<const std::vector<T>*>& parts, const std::vector<Shape>& shapes, int axis) {
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= shapes.front()[static_cast<std::size_t>(i)];
  for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < shapes.front().size(); ++i) inner *= shapes.front()[i];
  std::vector<T> out;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::int64_t run = shapes[part][static_cast<std::size_t>(axis)] * inner;
      const auto begin = parts[part]->begin() + o * run;
      out.insert(out.end(), begin, begin + run);
    }
  }
  return out;
}

// NaN where either is NaN.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

template <class T>
std::vector<T> largest(const std::vector<T>& x, const SumLayout& layout) {
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(layout.groups));
  for (const std::int64_t base : layout.group_base) {
    T most = x[static_cast<std::size_t>(base + layout.term_offset.front())];
    for (const std::int64_t offset : layout.term_offset)
      most = larger(most, x[static_cast<std::size_t>(base + offset)]);
    out.push_back(most);
  }
  return out;
}

// 1 at the first largest element of each group, 0 elsewhere; all 0 where one is NaN.
template <class T>
std::vector<T> first_largest(const std::vector<T>& x, const SumLayout& layout) {
  std::vector<T> mask(x.size(), T{0});
  for (const std::int64_t base : layout.group_base) {
    std::int64_t best = base + layout.term_offset.front();
    bool nan = false;
    for (const std::int64_t offset : layout.term_offset) {
      const T value = x[static_cast<std::size_t>(base + offset)];
      nan = nan || value != value;
      if (value > x[static_cast<std::size_t>(best)]) best = base + offset;
    }
    if (!nan) mask[static_cast<std::size_t>(best)] = 1;
  }
  return mask;
}

// An index tensor's elements. Usage error where one is no whole number below 2^24 (beyond it f32 skips integers).
template <class T>
std::vector<std::int64_t> whole_numbers(const std::vector<T>& values) {
  std::vector<std::int64_t> out;
  out.reserve(values.size());
  for (const T value : values) {
    const bool whole =
        value >= T{-0x1p24} && value <= T{0x1p24} && static_cast<T>(static_cast<std::int64_t>(value)) == value;
    if (!whole) usage_error("an index tensor holds a value that is no whole number within 2^24; give indices as i32");
    out.push_back(static_cast<std::int64_t>(value));
  }
  return out;
}

}  // namespace fusecheck::run
