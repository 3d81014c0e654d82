#include "numeric/philox_loops.hpp"

namespace fusecheck::numeric {

const PhiloxLoops& philox_loops_avx512() {
  static constexpr PhiloxLoops loops = philox_loops_here();
  return loops;
}

}  // namespace fusecheck::numeric
