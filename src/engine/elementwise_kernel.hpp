// The loops of elementwise.hpp: included by the file of each instruction set, so no inline
// function of the standard library may be used here.
#pragma once

#include <cstdint>

#include "engine/elementwise.hpp"

namespace fusecheck::engine {
namespace {

constexpr double kInfinity = __builtin_inf();
constexpr double kLargestF32 = 0x1.fffffep127;
// u of f32, with room for the f64 roundings of v, low and high themselves (2^-52 each, and their products).
constexpr double kUnitF32 = 0x1p-24 * (1 + 0x1p-20);
constexpr double kSmallestF32 = 0x1p-149;  // one subnormal step

// The formulas below serve one double and GNU C's vectors of doubles alike: comparisons give masks, ?: selects lane by
// lane. g++ leaves the same loops over double scalar. L names the type and its lanes; OneLane
// is the tail's, and each instruction set brings its own.
struct OneLane {
  using Double = double;
  static constexpr int lanes = 1;
  static double through_f32(double x) { return static_cast<double>(static_cast<float>(x)); }
};
// `x` in every lane; x - 0 keeps -0.
template <class L>
typename L::Double repeat(double x) {
  return x - typename L::Double{};
}

// NaN where either is NaN: an end that 0·Inf or Inf/Inf makes says nothing, whatever the other products are.
template <class L, class T = typename L::Double>
T lesser(T a, T b) {
  return ((a < b) | (a != a)) ? a : b;
}
template <class L, class T = typename L::Double>
T greater(T a, T b) {
  return ((a > b) | (a != a)) ? a : b;
}

template <class L>
struct Ends {
  typename L::Double low, high;
};
template <class L, class T = typename L::Double>
Ends<L> hull(T p, T q, T r, T s) {
  return {lesser<L>(lesser<L>(p, q), lesser<L>(r, s)), greater<L>(greater<L>(p, q), greater<L>(r, s))};
}

// One element and its interval.
template <class L>
struct Element {
  typename L::Double v, low, high;
};

// Half an ULP, which every f32 device keeps to in sums and products (N4).
struct RoundedToNearest {
  static constexpr double units = 1;
  // Whether a device holds v, the exact result, as it is.
  template <class L, class T = typename L::Double>
  static auto held(T v) {
    return L::through_f32(v) == v;
  }
};

struct Add : RoundedToNearest {
  template <class T>
  static T value(T a, T b) {
    return a + b;
  }
  template <class L>
  static Ends<L> ends(const Element<L>& a, const Element<L>& b) {
    return {a.low + b.low, a.high + b.high};
  }
};
struct Subtract : RoundedToNearest {
  template <class T>
  static T value(T a, T b) {
    return a - b;
  }
  template <class L>
  static Ends<L> ends(const Element<L>& a, const Element<L>& b) {
    return {a.low - b.high, a.high - b.low};
  }
};
struct Multiply : RoundedToNearest {
  template <class T>
  static T value(T a, T b) {
    return a * b;
  }
  template <class L>
  static Ends<L> ends(const Element<L>& a, const Element<L>& b) {
    return hull<L>(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
  }
};
// The same ends where every value of b's interval is positive and finite: of the four products, each end is one.
struct MultiplyPositive : Multiply {
  template <class L>
  static Ends<L> ends(const Element<L>& a, const Element<L>& b) {
    return {a.low * (a.low < 0 ? b.high : b.low), a.high * (a.high < 0 ? b.low : b.high)};
  }
};
struct MultiplyNegative : Multiply {
  template <class L>
  static Ends<L> ends(const Element<L>& a, const Element<L>& b) {
    return {a.high * (a.high < 0 ? b.high : b.low), a.low * (a.low < 0 ? b.low : b.high)};
  }
};
struct Divide : RoundedToNearest {
  static constexpr double units = 2;  // 1 ULP (N12)
  template <class T>
  static T value(T a, T b) {
    return a / b;
  }
  template <class L>
  static Ends<L> ends(const Element<L>& a, const Element<L>& b) {
    const Ends<L> quotients = hull<L>(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
    const auto through_zero = (b.low <= 0) & (b.high >= 0) & (b.low != b.high);
    const typename L::Double everything = repeat<L>(kInfinity);
    return {through_zero ? -everything : quotients.low, through_zero ? everything : quotients.high};
  }
};

struct DivideRoughly : Divide {
  template <class L, class T = typename L::Double>
  static auto held(T v) {
    return v == T{};
  }
};

template <class Op, class L>
Element<L> element(const Element<L>& a, const Element<L>& b) {
  using T = typename L::Double;
  const T v = Op::value(a.v, b.v);
  const Ends<L> ends = Op::template ends<L>(a, b);
  const T reach = greater<L>(ends.low < 0 ? -ends.low : ends.low, ends.high < 0 ? -ends.high : ends.high);
  const auto point = (ends.low == ends.high) & Op::template held<L>(v);
  const T nothing = {}, everything = repeat<L>(kInfinity);
  const T e = point ? nothing : Op::units * kUnitF32 * reach + kSmallestF32;
  const T low = ends.low - e, high = ends.high + e;
  const T low_end = ((low >= -kLargestF32) & (low <= v)) ? low : -everything;
  const T high_end = ((high <= kLargestF32) & (high >= v)) ? high : everything;
  return {v, v != v ? v : low_end, v != v ? v : high_end};
}

template <class L, bool array>
typename L::Double load(const double* from, std::int64_t i) {
  if constexpr (array) {
    typename L::Double x;
    __builtin_memcpy(&x, from + i, sizeof x);
    return x;
  } else {
    return repeat<L>(*from);
  }
}
template <class L>
void store(double* to, const typename L::Double& x) {
  __builtin_memcpy(to, &x, sizeof x);
}
template <class L, bool array>
Element<L> load(const Interval& x, std::int64_t i) {
  return {load<L, array>(x.v, i), load<L, array>(x.low, i), load<L, array>(x.high, i)};
}

template <Operands operands>
constexpr std::int64_t left(std::int64_t i) {
  return operands == Operands::right ? 0 : i;
}
template <Operands operands>
constexpr std::int64_t right(std::int64_t i) {
  return operands == Operands::left ? 0 : i;
}

template <class Op, Operands operands>
void plain_run(const float* a, const float* b, float* __restrict out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::value(a[left<operands>(i)], b[right<operands>(i)]);
}

struct Negate {
  static float value(float x) { return -x; }
};
struct SquareRoot {
  static float value(float x) { return __builtin_sqrtf(x); }
};
struct Relu {
  static float value(float x) {
    const float above = x > 0 ? x : 0.0F;  // without a branch that random signs mislead
    return x == x ? above : x;
  }
};
struct Positive {
  static float value(float x) { return x > 0 ? 1.0F : 0.0F; }
};
struct Absolute {
  static float value(float x) { return __builtin_fabsf(x); }
};

template <class Op>
void unary_run(const float* a, float* __restrict out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = Op::value(a[i]);
}

template <Operands operands>
constexpr bool left_array = operands != Operands::right;
template <Operands operands>
constexpr bool right_array = operands != Operands::left;

// How many of one step's results are rounded, lane by lane.
template <class Op, Operands operands, class L>
typename L::Double exact_step(const double* a, const double* b, double* out, std::int64_t i) {
  using T = typename L::Double;
  const T v = Op::value(load<L, left_array<operands>>(a, i), load<L, right_array<operands>>(b, i));
  store<L>(out + i, v);
  const T one = repeat<L>(1), none = {};
  return Op::template held<L>(v) ? none : one;
}

template <class Op, Operands operands, class L>
bool exact_run(const double* a, const double* b, double* out, std::int64_t n) {
  typename L::Double inexact = {};
  std::int64_t i = 0;
  for (; i + L::lanes <= n; i += L::lanes) inexact += exact_step<Op, operands, L>(a, b, out, i);
  double count = 0;
  for (int lane = 0; lane < L::lanes; ++lane) count += inexact[lane];
  for (; i < n; ++i) count += exact_step<Op, operands, OneLane>(a, b, out, i);
  return count == 0;
}

template <class Op, Operands operands, class L>
void interval_step(const Interval& a, const Interval& b, const IntervalOut& out, std::int64_t i) {
  const Element<L> z = element<Op, L>(load<L, left_array<operands>>(a, i), load<L, right_array<operands>>(b, i));
  store<L>(out.v + i, z.v);
  store<L>(out.low + i, z.low);
  store<L>(out.high + i, z.high);
}

template <class Op, Operands operands, class L>
void interval_run(const Interval& a, const Interval& b, const IntervalOut& out, std::int64_t n);

// An operand that is one element lets most of the ends be told from its sign.
template <Operands operands, class L>
void multiply_run(const Interval& a, const Interval& b, const IntervalOut& out, std::int64_t n) {
  if constexpr (operands == Operands::left) {
    if (*b.low > 0 && *b.high < kInfinity) return interval_run<MultiplyPositive, operands, L>(a, b, out, n);
    if (*b.high < 0 && *b.low > -kInfinity) return interval_run<MultiplyNegative, operands, L>(a, b, out, n);
  }
  interval_run<Multiply, operands, L>(a, b, out, n);
}

template <class Op, Operands operands, class L>
void interval_run(const Interval& a, const Interval& b, const IntervalOut& out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + L::lanes <= n; i += L::lanes) interval_step<Op, operands, L>(a, b, out, i);
  for (; i < n; ++i) interval_step<Op, operands, OneLane>(a, b, out, i);
}

template <class Op, class L>
constexpr void fill(ElementwiseTable& table, Operation operation) {
  const int row = static_cast<int>(operation);
  table.f32[row][0] = plain_run<Op, Operands::both>;
  table.f32[row][1] = plain_run<Op, Operands::left>;
  table.f32[row][2] = plain_run<Op, Operands::right>;
  table.f64[row][0] = exact_run<Op, Operands::both, L>;
  table.f64[row][1] = exact_run<Op, Operands::left, L>;
  table.f64[row][2] = exact_run<Op, Operands::right, L>;
  table.interval[row][0] = interval_run<Op, Operands::both, L>;
  table.interval[row][1] = interval_run<Op, Operands::left, L>;
  table.interval[row][2] = interval_run<Op, Operands::right, L>;
}

template <class L>
constexpr ElementwiseTable elementwise_table() {
  ElementwiseTable table{};
  fill<Add, L>(table, Operation::add);
  fill<Subtract, L>(table, Operation::subtract);
  fill<Multiply, L>(table, Operation::multiply);
  fill<Divide, L>(table, Operation::divide);
  fill<DivideRoughly, L>(table, Operation::divide_roughly);
  table.interval[static_cast<int>(Operation::multiply)][1] = multiply_run<Operands::left, L>;
  table.unary_f32[static_cast<int>(UnaryOperation::negate)] = unary_run<Negate>;
  table.unary_f32[static_cast<int>(UnaryOperation::square_root)] = unary_run<SquareRoot>;
  table.unary_f32[static_cast<int>(UnaryOperation::relu)] = unary_run<Relu>;
  table.unary_f32[static_cast<int>(UnaryOperation::positive)] = unary_run<Positive>;
  table.unary_f32[static_cast<int>(UnaryOperation::absolute)] = unary_run<Absolute>;
  return table;
}

}  // namespace
}  // namespace fusecheck::engine
