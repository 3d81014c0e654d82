// The values of one edge of an emulation, in f32. Elementwise steps are carried out block by block once somebody looks
// at a result: a block of every edge stays in the first-level cache, edges that nobody looks at never become arrays,
// and tensors are widened and rounded on the way. The values are bit for bit those of one step after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/simd.hpp"
#include "fusecheck/op.hpp"
#include "fusecheck/tensor.hpp"
#include "run/blocks.hpp"

namespace fusecheck::run {

using Floats = std::shared_ptr<const std::vector<float>>;

struct Emulated;
using EmulatedEdge = std::shared_ptr<const Emulated>;

enum class EmulatedStepKind : std::uint8_t { arithmetic, unary, round };

struct EmulatedStep {
  EmulatedStepKind kind = EmulatedStepKind::unary;
  engine::Operation operation = engine::Operation::add;  // arithmetic
  Blocks blocks = {};                                    // arithmetic: how the operands meet
  Unary unary = Unary::relu;
  DType dtype = DType::f32;  // round
  RoundingRule rule = {};
  bool flush_subnormals = false;  // of the result, to a zero of its sign
  engine::Simd simd = engine::Simd::automatic;
  EmulatedEdge a = nullptr, b = nullptr;
  std::int64_t size = 0;
  int depth = 1;  // steps in a row that wait for one another
};

// One of three: values; a tensor, which outlives the edge; a step that waits. The last two become values when
// somebody asks for them.
struct Emulated {
  mutable Floats values = nullptr;
  const Tensor* tensor = nullptr;
  mutable std::optional<EmulatedStep> step = {};
};

EmulatedEdge edge_of(std::vector<float> values);
// The tensor must outlive what is made of it.
EmulatedEdge edge_of(const Tensor& tensor);
// The result of a step: small ones now, others when somebody looks.
EmulatedEdge edge_of(EmulatedStep step);

const Floats& values_of(const Emulated& edge);
// Rounded to nearest even to the type.
Tensor tensor_of(const Emulated& edge, DType dtype, const Shape& shape);

}  // namespace fusecheck::run
