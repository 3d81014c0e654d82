// A contraction as a family of inner products, one family a group:
//   out[row, column] = Σ_k a[row_k + term_k]·b[term_k, column]
// with a in zero-padded storage, so that a tap on padding is an ordinary term that reads a zero.
//
//   direction         row          term          column   a                                    b
//   forward           n, oh, ow    c, kh, kw     oc       x, padded                            w
//   data_gradient     n, h, w      oc, kh, kw    c        dy, spread by the strides, padded    w
//   weight_gradient   c, kh, kw    n, oh, ow     oc       x, padded                            dy
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contraction.hpp"

namespace fusecheck::engine {

// Where the elements of operand a go: element (i, ch, y, x) to i·image + ch·plane + (top + y·step_h)·width + left +
// x·step_w.
struct PaddedLayout {
  std::int64_t images = 1, channels = 1, source_h = 1, source_w = 1;
  std::int64_t top = 0, left = 0, step_h = 1, step_w = 1;
  std::int64_t height = 1, width = 1, plane = 1, image = 1;
  std::int64_t size() const { return images * image; }
};

// A position that is an affine function of group and column.
struct AffineStep {
  std::int64_t group = 0, column = 0;
};

struct Lowering {
  std::int64_t groups = 1, columns = 1;
  PaddedLayout a_layout;
  std::int64_t a_group = 0;          // step from one group to the next in padded a
  std::vector<std::int64_t> row;     // where each row begins in padded a
  std::vector<std::int64_t> term;    // where each term lies, relative to its row, in summation order
  std::vector<std::int64_t> b_term;  // where each term lies in b
  AffineStep b_step;
  std::vector<std::int64_t> out_row;  // where each row lies in the output
  AffineStep out_step;
  std::int64_t rows() const { return static_cast<std::int64_t>(row.size()); }
  std::int64_t terms() const { return static_cast<std::int64_t>(term.size()); }
};

Lowering lower(const Contraction& problem, KOrder k_order, int c0);

// Rows, columns and groups alone, without the tables.
struct ProductSize {
  std::int64_t groups = 1, rows = 1, columns = 1;
};
ProductSize product_size(const Contraction& problem);

}  // namespace fusecheck::engine
