#include "numeric/functions_dispatch.hpp"
#include "verify/moments_kernel.hpp"

namespace fusecheck::verify {
namespace {

const MomentLoops& moment_loops_baseline() {
  static constexpr MomentLoops loops = loops_here();
  return loops;
}

}  // namespace

const MomentLoops& moment_loops() {
  static const MomentLoops& best = numeric::function_level(2).available()   ? moment_loops_avx512()
                                   : numeric::function_level(1).available() ? moment_loops_avx2()
                                                                            : moment_loops_baseline();
  return best;
}

}  // namespace fusecheck::verify
