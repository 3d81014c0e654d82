// Generators that several ops share. Each gives the value of one element, to be rounded to the tensor's storage type.
#pragma once

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// Index of the element along one axis.
std::int64_t along(const Shape& shape, std::size_t axis, std::int64_t element);

// A stored activation (x, residual, a, b): offset from zero, so that a mean which is not subtracted shows.
//   exact   integers in [-2, 2]
//   random  0.25 + normal
//   stress  1 + normal / 2; every 31st element a subnormal of the storage type, the last index of axis 1 eight times as
//           large (a dropped last channel shows at any length of sum)
double draw_activation(const DrawContext& draw, std::int64_t element);

// An element of a weight for exact data that meets term `term` of sums of `terms`: integers in [-2, 2], thinned so that
// sums stay below 2^11, where f16 holds every integer. Of thinned sums the first and the last term are never 0, so that
// a dropped one shows at any length.
double draw_thinned(const DrawContext& draw, std::int64_t element, std::int64_t term, std::int64_t terms);

// What a softmax takes.
//   exact   integers in [-2, 2]
//   random  2·normal
//   stress  a spread of 200: only few terms count, and without the maximum subtracted e^x overflows; every third row
//           120 lower, so that with the maximum of another row e^x vanishes there
double draw_logits(const DrawContext& draw, std::int64_t element);

// The right operand of a product, normal/sqrt(k), as the weights of a convolution: the product is of the size of the
// left one. k is the axis `from_end` from the last, counted from 1. Exact data: draw_thinned.
double draw_right(const DrawContext& draw, std::int64_t element, std::size_t from_end);

// Rows that stress data make so large that e^x without the maximum subtracted overflows in f32 (x > 88.7): the last row
// of axis `axis`, which a causal mask lets see every key, and every eighth before it.
bool is_overflowing_row(const DrawContext& draw, std::size_t axis, std::int64_t element);

// 0 or 1.
double draw_bit(const DrawContext& draw, std::int64_t element);
// A position below the limit that infer has set under the name of the port and "<".
double draw_index(const DrawContext& draw, std::int64_t element);

// A vector added to each channel (b, beta): different for each channel, never 0.
double draw_shift(const DrawContext& draw, std::int64_t element);

}  // namespace fusecheck::family
