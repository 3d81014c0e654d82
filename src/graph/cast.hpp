// Casts inside a body: calls that change no value by themselves. Their result is an edge, and the schedule rounds it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::graph {

struct Cast {
  OpDef op;  // y = x, dx = dy
  DType dtype;
};

// f16, bf16, f32.
const std::vector<Cast>& all_casts();

}  // namespace fusecheck::graph
