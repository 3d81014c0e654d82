// The second, independent fp64 oracle for convolutions: unfold into columns (im2col), then one matrix product by Eigen.
// It shares no code and no order of sums with the engine, only the geometry.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/contraction.hpp"

namespace fusecheck::testing {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;
using MutableMap = Eigen::Map<Matrix>;

// Calls f(row (channel, kh, kw) of the column matrix, its column (oh, ow), flat position in one image's group) for
// every tap that falls inside the image.
template <typename F>
void for_each_tap(const engine::Conv2dGeometry& g, F&& f) {
  const std::int64_t channels = g.c / g.groups;
  for (std::int64_t row = 0; row < channels * g.kh * g.kw; ++row) {
    const std::int64_t channel = row / (g.kh * g.kw), tap_h = row / g.kw % g.kh, tap_w = row % g.kw;
    for (std::int64_t column = 0; column < g.oh() * g.ow(); ++column) {
      const std::int64_t y = column / g.ow() * g.stride_h + tap_h * g.dilation_h - g.pad_top;
      const std::int64_t x = column % g.ow() * g.stride_w + tap_w * g.dilation_w - g.pad_left;
      if (y >= 0 && y < g.h && x >= 0 && x < g.w) f(row, column, (channel * g.h + y) * g.w + x);
    }
  }
}

// The contraction in fp64; layouts as in engine/contraction.hpp.
inline std::vector<double> eigen_contract(const engine::Contraction& problem, std::span<const double> a,
                                          std::span<const double> b, std::span<const double> bias = {}) {
  const engine::Conv2dGeometry& g = problem.geometry;
  const std::int64_t rows = g.c / g.groups * g.kh * g.kw, pixels = g.oh() * g.ow();
  const std::int64_t outputs = g.oc / g.groups, image = g.c / g.groups * g.h * g.w;
  const bool forward = problem.direction == engine::Direction::forward;
  const bool data_gradient = problem.direction == engine::Direction::data_gradient;
  const std::int64_t size = forward ? g.n * g.oc * pixels : data_gradient ? g.n * g.c * g.h * g.w : g.oc * rows;
  std::vector<double> result(static_cast<std::size_t>(size), 0.0);

  for (std::int64_t n = 0; n < g.n; ++n) {
    for (std::int64_t group = 0; group < g.groups; ++group) {
      const std::int64_t x_at = (n * g.groups + group) * image, y_at = (n * g.groups + group) * outputs * pixels;
      const std::int64_t w_at = group * outputs * rows;
      Matrix columns = Matrix::Zero(rows, pixels);
      if (data_gradient) {
        columns.noalias() =
            ConstMap(b.data() + w_at, outputs, rows).transpose() * ConstMap(a.data() + y_at, outputs, pixels);
        for_each_tap(g, [&](auto row, auto column, auto at) {
          result[static_cast<std::size_t>(x_at + at)] += columns(row, column);
        });
        continue;
      }
      for_each_tap(
          g, [&](auto row, auto column, auto at) { columns(row, column) = a[static_cast<std::size_t>(x_at + at)]; });
      if (forward) {
        MutableMap y(result.data() + y_at, outputs, pixels);
        y.noalias() = ConstMap(b.data() + w_at, outputs, rows) * columns;
        if (!bias.empty()) y.colwise() += Eigen::Map<const Eigen::VectorXd>(bias.data() + group * outputs, outputs);
      } else {
        MutableMap(result.data() + w_at, outputs, rows) +=
            ConstMap(b.data() + y_at, outputs, pixels) * columns.transpose();
      }
    }
  }
  return result;
}

}  // namespace fusecheck::testing
