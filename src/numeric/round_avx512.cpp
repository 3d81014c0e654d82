#include "numeric/round_f16c.hpp"

namespace fusecheck::numeric {

const RoundLoops& round_loops_avx512() {
  static constexpr RoundLoops loops = round_loops_with_f16c();
  return loops;
}

}  // namespace fusecheck::numeric
