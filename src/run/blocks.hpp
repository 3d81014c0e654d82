// How an elementwise operation walks two operands over the shape that numpy's broadcasting gives them: in runs along
// which each operand is either an array or one element, so that nothing has to be repeated in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/elementwise.hpp"
#include "fusecheck/op.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck::run {

struct Blocks {
  std::int64_t length = 0;  // of every run
  engine::Operands operands = engine::Operands::both;
  std::vector<std::int64_t> left, right;  // where each run begins in the operands; in the result it is run · length
};

// `out` is broadcast_shape(a, b).
Blocks blocks_of(const Shape& a, const Shape& b, const Shape& out);

// Calls run(left, right, at): where each run begins in the operands and in the result.
template <class Run>
void for_each_run(const Blocks& blocks, Run run) {
  for (std::size_t i = 0; i < blocks.left.size(); ++i) {
    run(blocks.left[i], blocks.right[i], static_cast<std::int64_t>(i) * blocks.length);
  }
}

// Calls run(left, right, at, length) for each part of a run that lies in elements [first, first + count) of the result;
// `at` counts from `first`.
template <class Run>
void for_each_part(const Blocks& blocks, std::int64_t first, std::int64_t count, Run run) {
  const std::int64_t end = first + count;
  for (std::int64_t at = first; at < end;) {
    const std::int64_t number = at / blocks.length, inside = at - number * blocks.length;
    const std::int64_t length = std::min(blocks.length - inside, end - at);
    const std::int64_t left = blocks.left[static_cast<std::size_t>(number)];
    const std::int64_t right = blocks.right[static_cast<std::size_t>(number)];
    run(blocks.operands == engine::Operands::right ? left : left + inside,
        blocks.operands == engine::Operands::left ? right : right + inside, at - first, length);
    at += length;
  }
}

// Calls element(left, right, at) for single elements.
template <class Element>
void for_each_pair(const Blocks& blocks, Element element) {
  for_each_run(blocks, [&](std::int64_t left, std::int64_t right, std::int64_t at) {
    for (std::int64_t i = 0; i < blocks.length; ++i) {
      element(static_cast<std::size_t>(blocks.operands == engine::Operands::right ? left : left + i),
              static_cast<std::size_t>(blocks.operands == engine::Operands::left ? right : right + i),
              static_cast<std::size_t>(at + i));
    }
  });
}

// The engine's name for an operation that rounds; `exact_quotients` as in ArithmeticOptions.
engine::Operation operation_of(Binary op, bool exact_quotients);

}  // namespace fusecheck::run
