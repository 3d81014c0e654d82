// oneDNN's own f32 convolution of a contraction, on operands already in the layouts that it prefers.
#pragma once

#include <functional>

#include "engine/contraction.hpp"

namespace fusecheck::bench {

struct OnednnConv {
  std::function<void()> execute;  // the primitive alone; no reorder
  double reorder_ms = 0;          // plain layouts to the preferred ones and back, once
};

OnednnConv onednn_conv(const engine::Contraction& problem);

}  // namespace fusecheck::bench
