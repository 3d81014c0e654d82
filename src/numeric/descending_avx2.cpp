#include "numeric/descending_loops.hpp"

namespace fusecheck::numeric {

const DescendingLoops& descending_loops_avx2() {
  static constexpr DescendingLoops loops = descending_loops_here();
  return loops;
}

}  // namespace fusecheck::numeric
