// What the normalisations over rows and over groups of channels share.
#pragma once

#include <string>
#include <vector>

#include "family/reduce.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::family {

// Which axes are normalised together (from the attribute "axis" on), and which tell the rows apart.
struct Rows {
  std::vector<int> axes, leading;
};
Rows rows_of(const Io& io);              // of x
Rows rows_of(const Shape& x, int axis);  // axis: of x, -1 is the last
// Σ over all rows, in the shape of one.
Value sum_rows(Kernel& k, const Value& x, const Rows& rows);

// mean, rstd and xhat of x over the axes: family::normalised is the two-pass form.
using Normalising = Normalised (*)(Kernel& k, const Value& x, const std::vector<int>& axes, double eps);
// With mean = Σ x·(1/D) and v = Σ (x - mean)²·(1/D), 1/D rounded.
Normalised normalised_by_shares(Kernel& k, const Value& x, const std::vector<int>& axes, double eps);
// With v = Σx²/D - mean², which loses accuracy when the mean is large against the deviation: for lossy recipes.
Normalised normalised_one_pass(Kernel& k, const Value& x, const std::vector<int>& axes, double eps);
// The rounded 1/D.
Value share_of(Kernel& k, const Value& x, const std::vector<int>& axes);
// 1/√(variance + eps).
Value rstd_of(Kernel& k, const Value& variance, double eps);

// dgamma, dbeta and, returned, the gradient of the normalised x, from the gradient dz of the result; io holds
// saved_mean, saved_rstd and gamma.
Value layer_norm_gradients(Kernel& k, Io& io, const Value& x, const Value& dz, const Rows& rows);
// The same of rms_norm, without dbeta.
Value rms_norm_gradients(Kernel& k, Io& io, const Value& x, const Value& dz);

// x, gamma [the normalised axes], axis, eps; shapes of these, of y, and of whatever beta and row statistics the op
// adds.
OpDef row_norm_op(std::string name, std::string formula, double eps);
Port row_shift_port();  // beta
Port row_statistic_port(std::string name, std::string doc);
// Shapes of gamma, beta, saved_mean, saved_rstd and y for rows of x.
void infer_rows(Shapes& shapes, const Attrs& attrs);

// 1/√(Σx²/D + eps), with Σ x²·(1/D) as legal.
Value rms_rstd(Kernel& k, const Value& x, const std::vector<int>& axes, double eps);

// x [n, c, ...] in groups of channels: as [n, groups, everything else].
Value grouped(Kernel& k, const Value& x, std::int64_t groups);
// xhat·gamma[c] + beta[c] with xhat of each group of x; saves saved_mean and saved_rstd [n, groups].
Value group_norm(Kernel& k, Io& io, std::int64_t groups, Normalising normalise = normalised);
// The same from the saved statistics.
Value group_norm_again(Kernel& k, Io& io, std::int64_t groups);
// dgamma, dbeta and dx of that, from the gradient dz of its result.
void group_norm_gradients(Kernel& k, Io& io, const Value& dz, std::int64_t groups);
// x, gamma [c], beta [c], eps; `groups` of an op from its attributes and channels.
OpDef group_norm_op(std::string name, std::string formula,
                    std::function<std::int64_t(const Attrs&, const Shape& x)> groups);

// gamma: different for each element, never near 0, far from 1.
//   exact   ±1, ±2       random  1 ± 0.5       stress  also 0 (every seventh), negative (every fifth), 4 (every third)
double draw_scale(const DrawContext& draw, std::int64_t element);

// Rows that a normalisation has to cope with. Each has its own offset.
//   exact   integers in [-2, 2]
//   random  offset in [-1, 1] + normal
//   stress  one row of four each: mean/std as large as the type holds (32 in bf16, 256 in f16, 4096 in f32);
//           a deviation of 2^-9, where eps counts; the last element forty times as large; normal around 0
double draw_rows(const DrawContext& draw, std::int64_t element);
// The same of groups of channels [n, c, ...]: num_groups, of an op without that attribute the channels themselves.
double draw_groups(const DrawContext& draw, std::int64_t element);
// Two tensors whose sum is normalised: in stress data such rows, and normal numbers of a size that leaves them what
// they are; else draw_activation.
double draw_summand(const DrawContext& draw, std::int64_t element);
double draw_other_summand(const DrawContext& draw, std::int64_t element);

}  // namespace fusecheck::family
