#include "base/float_environment.hpp"

#include <xmmintrin.h>

#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck {

namespace {

// Fields of MXCSR, Intel SDM volume 1, 10.2.3.
constexpr unsigned kDenormalsAreZero = 1u << 6;
constexpr unsigned kRoundingControl = 3u << 13;  // 0: to nearest, ties to even
constexpr unsigned kFlushToZero = 1u << 15;

}  // namespace

void require_default_float_environment() {
  const unsigned mxcsr = _mm_getcsr();
  std::string wrong;
  if ((mxcsr & kRoundingControl) != 0) wrong += " rounding is not to nearest;";
  if ((mxcsr & kFlushToZero) != 0) wrong += " subnormal results are flushed to zero;";
  if ((mxcsr & kDenormalsAreZero) != 0) wrong += " subnormal operands are taken as zero;";
  if (wrong.empty()) return;
  internal_error("floating-point environment:" + wrong +
                 " no bits can be promised; unload the library that sets this (one linked with -ffast-math does)");
}

}  // namespace fusecheck
