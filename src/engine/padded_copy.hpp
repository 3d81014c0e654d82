// Copies an operand into zero-padded storage.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/aligned_buffer.hpp"
#include "engine/lowering.hpp"
#include "engine/workers.hpp"

namespace fusecheck::engine {

// value(position) is called for each element that lands inside the padded planes; everything else is 0.
template <class T, class Value>
AlignedBuffer<T> padded_copy(const PaddedLayout& layout, int threads, Value value) {
  AlignedBuffer<T> padded(layout.size());
  share(layout.images * layout.channels, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      T* plane = padded.data() + i * layout.plane;
      std::fill(plane, plane + layout.plane, T(0));
      const std::int64_t rows = std::min(layout.source_h, (layout.height - layout.top - 1) / layout.step_h + 1);
      const std::int64_t columns = std::min(layout.source_w, (layout.width - layout.left - 1) / layout.step_w + 1);
      for (std::int64_t y = 0; y < rows; ++y) {
        T* to = plane + (layout.top + y * layout.step_h) * layout.width + layout.left;
        const std::int64_t from = (i * layout.source_h + y) * layout.source_w;
        for (std::int64_t x = 0; x < columns; ++x) to[x * layout.step_w] = value(from + x);
      }
    }
  });
  return padded;
}

}  // namespace fusecheck::engine
