#include "numeric/round_loops.hpp"

namespace fusecheck::numeric {

const RoundLoops& round_loops_avx2() {
  static constexpr RoundLoops loops = round_loops();
  return loops;
}

}  // namespace fusecheck::numeric
