// Chains of elementwise steps, carried out block by block once somebody looks at a result: a block of every edge stays
// in the second-level cache, and edges that nobody looks at never become arrays. The values, the intervals and all that
// comes with them are bit for bit those of one step after the other (real_arithmetic.hpp, RealKernel::rounded).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "engine/contraction.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/op.hpp"
#include "run/blocks.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

enum class StepKind : std::uint8_t {
  arithmetic,  // add, subtract, multiply or divide
  negate,
  relu,
  positive,
  round,
  either,  // `a`, and the hull of both intervals
};

// A step not yet carried out. `done` is set once, by settled(), which drops the operands.
struct Step {
  StepKind kind = StepKind::relu;
  engine::Operation operation = engine::Operation::add;  // arithmetic
  Blocks blocks = {};                                    // arithmetic: how the operands meet
  DType dtype = DType::f32;                              // round
  RoundingRule rule = {};
  bool keep_before = false;  // round: what was rounded is wanted too
  bool intervals = true;
  engine::Simd simd = engine::Simd::automatic;
  std::shared_ptr<const Real> a = nullptr, b = nullptr;
  std::size_t size = 0;
  int depth = 1;  // steps in a row that wait for one another
  std::optional<Real> done = {};
};

// Fewer elements are not worth a plan.
inline constexpr std::int64_t least_deferred = 2048;

// The result of a step, to be carried out later; operands of another size, and those behind many waiting steps, are
// carried out now.
std::shared_ptr<const Real> deferred(Step step);

// What a Real holds, carried out if it was not.
const Real& settled(const Real& real);
// Its values alone, without the intervals, where nothing else is wanted.
Doubles values_of(const Real& real);

// Shows it block after block, in order, and keeps nothing: elements first, first + 1 ... of the value and of both ends
// of the interval.
using Look = std::function<void(std::size_t first, std::span<const double> v, std::span<const double> low,
                                std::span<const double> high)>;
void look_at(const Real& real, const Look& look);

}  // namespace fusecheck::run
