// Products of matrices, as the engine's contractions: c [.., m, n] = a [.., m, k]·b [.., k, n], the leading axes
// broadcast as numpy does. Σ over k ascending, from 0.
#pragma once

#include "fusecheck/op.hpp"

namespace fusecheck::family {

Shape matmul_shape(const Shape& a, const Shape& b);  // usage error where they do not fit
Value matmul(Kernel& k, const Value& a, const Value& b);
// dc·bᵀ, Σ over n ascending, and over the batches along which a was broadcast.
Value matmul_left_gradient(Kernel& k, const Value& dc, const Value& b, const Shape& a);
// aᵀ·dc, Σ over m ascending, and over the batches along which b was broadcast.
Value matmul_right_gradient(Kernel& k, const Value& a, const Value& dc, const Shape& b);

}  // namespace fusecheck::family
