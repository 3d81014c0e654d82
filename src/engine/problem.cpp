// Shapes and single terms of a contraction, and the choice of sampled outputs.
#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/contraction.hpp"
#include "engine/lowering.hpp"
#include "engine/terms.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck::engine {

Shape Contraction::a_shape() const { return shape_of(geometry, roles_of(direction).a); }
Shape Contraction::b_shape() const { return shape_of(geometry, roles_of(direction).b); }
Shape Contraction::output_shape() const { return shape_of(geometry, roles_of(direction).out); }

std::int64_t Contraction::terms() const {
  const Conv2dGeometry& g = geometry;
  if (direction == Direction::forward) return g.c / g.groups * g.kh * g.kw;
  if (direction == Direction::data_gradient) return g.oc / g.groups * g.kh * g.kw;
  return g.n * g.oh() * g.ow();
}

std::vector<double> terms_of(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                             std::int64_t output) {
  std::vector<double> terms;
  const Roles roles = roles_of(problem.direction);
  for_terms_with(problem.geometry, roles.out, output, [&](const Term& term) {
    terms.push_back(static_cast<double>(a[static_cast<std::size_t>(at(term, roles.a))]) *
                    static_cast<double>(b[static_cast<std::size_t>(at(term, roles.b))]));
  });
  return terms;
}

namespace {

Sample all_outputs(const ProductSize& size) {
  Sample sample;
  sample.outputs.resize(static_cast<std::size_t>(size.groups * size.rows * size.columns));
  std::iota(sample.outputs.begin(), sample.outputs.end(), std::int64_t{0});
  std::vector<std::int64_t> rows(static_cast<std::size_t>(size.rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  sample.rows.assign(static_cast<std::size_t>(size.groups), rows);
  return sample;
}

}  // namespace

Sample choose_outputs(const Contraction& problem, std::int64_t most, std::uint64_t seed) {
  const ProductSize size = product_size(problem);
  const std::int64_t rows = size.groups * size.rows;
  const std::int64_t wanted = std::clamp<std::int64_t>(most / size.columns, 1, rows);
  if (wanted == rows) return all_outputs(size);
  const Lowering l = lower(problem, KOrder::c_kh_kw, 1);
  const Philox philox(seed, "contraction/rows");
  Sample sample;
  sample.rows.resize(static_cast<std::size_t>(size.groups));
  for (std::int64_t i = 0; i < wanted; ++i) {
    // One row from each of `wanted` equal parts of all rows of all groups.
    const std::int64_t low = rows * i / wanted, high = rows * (i + 1) / wanted - 1;
    const std::int64_t chosen = philox.integer(static_cast<std::uint64_t>(i), low, high);
    const std::int64_t group = chosen / size.rows, row = chosen % size.rows;
    sample.rows[static_cast<std::size_t>(group)].push_back(row);
    const std::int64_t position = group * l.out_step.group + l.out_row[static_cast<std::size_t>(row)];
    for (std::int64_t n = 0; n < size.columns; ++n) sample.outputs.push_back(position + n * l.out_step.column);
  }
  std::ranges::sort(sample.outputs);
  return sample;
}

}  // namespace fusecheck::engine
