// One block of one edge of a chain, and the steps on it.
#pragma once

#include <cstdint>
#include <span>

#include "run/chain.hpp"

namespace fusecheck::run {

// Elements [first, first + length) of an edge. Where `exact`, v stands for low and high too.
struct Block {
  double *v = nullptr, *low = nullptr, *high = nullptr;
  bool exact = false;
};

// An operand: element i of the edge lies at v[i - first].
struct Operand {
  const double *v = nullptr, *low = nullptr, *high = nullptr;
  std::int64_t first = 0;
  bool exact = false;
};

// What is known of an edge after all its blocks.
struct Findings {
  bool wide = false;       // somewhere low != high, both numbers
  bool nan = false;        // an exact block held one
  bool differing = false;  // low != high, NaN included
  double all_widths = 0, added_widths = 0;
  std::int64_t undecided = 0;
};

struct Range {
  std::int64_t first = 0, length = 0;
};

// Without `intervals`, values only.
void arithmetic_block(const Step& step, bool intervals, Range range, const Operand& a, const Operand& b, Block& out,
                      Findings& found);
void unary_block(const Step& step, Range range, const Operand& a, Block& out, Findings& found);
// `f64_share`: of the operand.
void round_block(const Step& step, double f64_share, Range range, const Operand& a, Block& out, Findings& found);
void either_block(Range range, const Operand& a, const Operand& b, Block& out, Findings& found);

}  // namespace fusecheck::run
