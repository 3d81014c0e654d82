// One elementwise operation over a run of elements: plain in f32 and f64, and on intervals (NUMERICS.md J4). Each
// result depends on its own element alone, so that all instruction sets give the same bits.
#pragma once

#include <cstdint>

namespace fusecheck::engine {

enum class Operation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,          // exact where f32 holds the quotient
  divide_roughly,  // rounded there too, but where it is 0: on intervals only, the value is that of divide
};
inline constexpr int kOperations = 5;

enum class UnaryOperation : std::uint8_t {
  negate,
  square_root,
  relu,      // x if x > 0, NaN if x is NaN, else +0
  positive,  // 1 if x > 0, else 0
  absolute,
};
inline constexpr int kUnaryOperations = 5;

// Which of the two operands is an array; the other is a single element.
enum class Operands : std::uint8_t { both, left, right };
inline constexpr int kOperands = 3;

// v in [low, high]; a value without an interval has low = high = v.
struct Interval {
  const double* v;
  const double* low;
  const double* high;
};
struct IntervalOut {
  double* v;
  double* low;
  double* high;
};

template <class T>
using PlainRun = void (*)(const T* a, const T* b, T* out, std::int64_t n);
using UnaryRun = void (*)(const float* a, float* out, std::int64_t n);
// False when some result is no value of f32 (NaN is none, infinity is one).
using ExactRun = bool (*)(const double* a, const double* b, double* out, std::int64_t n);
// Widened by one rounding to f32, by 1 ULP for a quotient (N12), unless the interval is a point that f32 holds; where
// an end is beyond the largest f32 value or says nothing, it is infinite; where v is NaN, both ends are.
using IntervalRun = void (*)(const Interval& a, const Interval& b, const IntervalOut& out, std::int64_t n);

struct ElementwiseTable {
  PlainRun<float> f32[kOperations][kOperands];
  UnaryRun unary_f32[kUnaryOperations];
  ExactRun f64[kOperations][kOperands];
  IntervalRun interval[kOperations][kOperands];
};

template <class Table>
auto of(const Table& runs, Operation operation, Operands operands) {
  return runs[static_cast<int>(operation)][static_cast<int>(operands)];
}

}  // namespace fusecheck::engine
