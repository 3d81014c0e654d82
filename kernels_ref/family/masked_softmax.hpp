// Softmax over what a mask leaves, as its primitive and the fused op that scales the logits use it. Rules:
// masked_softmax.cpp.
#pragma once

#include "fusecheck/op.hpp"

namespace fusecheck::family {

void infer_masked_softmax(Shapes& shapes, const Attrs& attrs);
// Of logits z along the last axis, with io's `masked`.
Value masked_softmax(Kernel& k, Io& io, const Value& z);
// z - 10000·masked and a softmax: what is masked keeps a share of e^-10000, and a row that is masked altogether is as
// if it were not.
Value softmax_minus_10000(Kernel& k, Io& io, const Value& z);

}  // namespace fusecheck::family
