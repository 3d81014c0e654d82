// Activations made of pieces: their values, and their slopes from the masks that tell the pieces apart.
#pragma once

#include <string>

#include "fusecheck/op.hpp"

namespace fusecheck::family {

// x where x > 0, else slope·x.
Value leaky(Kernel& k, const Value& x, const Value& slope);
// 1 where mask is 1, else slope.
Value leaky_slope(Kernel& k, const Value& mask, const Value& slope);

// [x > low] and [x < high]; [x >= low] and [x <= high] are as legal: at the ends themselves no convention of the
// derivative is universal (PyTorch 1.13 takes hard_swish'(-3) = -1/2, TensorFlow 0).
struct Between {
  Value above, below;
};
Between between(Kernel& k, const Value& x, double low, double high);

// x/6, or x times the rounded 1/6.
Value sixth(Kernel& k, const Value& x);
// min(max(x + 3, 0), 6)/6, or x/6 + 1/2 between 0 and 1.
Value hard_gate(Kernel& k, const Value& x);
// x·hard_gate(x), in either order of the product and the division by 6.
Value hard_swish(Kernel& k, const Value& x);
// 0 where x <= -3, 1 where x >= 3, (2x + 3)/6 between; `inside` are the masks of (-3, 3).
Value hard_swish_slope(Kernel& k, const Value& x, const Between& inside);

// y = forward(x), dx = backward(dy); the masks of (low, high), whole numbers, are saved for it.
OpDef op_between(std::string name, std::string formula, int low, int high, Value (*forward)(Kernel&, const Value& x),
                 Value (*backward)(Kernel&, Io&, const Between& inside));

// Values on both sides of -3, 0, 3 and 6.
//   exact   integers in [-4, 8]
//   random  0.25 + 2.5·normal
//   stress  0.5 + 4·normal; every 31st element a subnormal of the storage type
double draw_wide(const DrawContext& draw, std::int64_t element);

// What a function made of e^x takes: small ones, where it bends, its tails, and where e^|x| overflows in f32 (88.7).
//   exact, random  as draw_activation
//   stress         2·normal; of eight elements two are 4 to 12 in size and one 90 to 120, the sign changing with each
//                  eight; every 31st element a subnormal of the storage type
double draw_exponent(const DrawContext& draw, std::int64_t element);

}  // namespace fusecheck::family
