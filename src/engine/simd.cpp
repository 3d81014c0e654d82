#include "engine/simd.hpp"

#include <array>
#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck::engine {

namespace {

struct Level {
  Simd simd;
  std::string_view name;
  const KernelTable& (*kernels)();
  bool (*available)();
};

bool always() { return true; }
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

// Ascending: the last available one is the best.
constexpr std::array kLevels = {
    Level{Simd::scalar, "scalar", &scalar_kernels, &always},
    Level{Simd::avx2, "avx2", &avx2_kernels, &has_avx2},
    Level{Simd::avx512, "avx512", &avx512_kernels, &has_avx512},
};

const Level& level_of(Simd simd) {
  const Simd wanted = simd == Simd::automatic ? best_simd() : simd;
  for (const Level& level : kLevels) {
    if (level.simd == wanted) return level;
  }
  internal_error("instruction set number " + std::to_string(static_cast<int>(simd)) + " is not in the table");
}

}  // namespace

Simd best_simd() {
  Simd best = Simd::scalar;
  for (const Level& level : kLevels) {
    if (level.available()) best = level.simd;
  }
  return best;
}

const KernelTable& kernels_for(Simd simd) {
  const Level& level = level_of(simd);
  if (!level.available()) {
    usage_error("--simd " + std::string(level.name) + ": this machine lacks it; the best it has is " +
                std::string(name_of(best_simd())));
  }
  return level.kernels();
}

std::string_view name_of(Simd simd) { return simd == Simd::automatic ? "auto" : level_of(simd).name; }

Simd parse_simd(std::string_view text) {
  if (text == "auto") return Simd::automatic;
  for (const Level& level : kLevels) {
    if (level.name != text) continue;
    kernels_for(level.simd);
    return level.simd;
  }
  usage_error("--simd " + std::string(text) + ": not an instruction set; one of auto, scalar, avx2, avx512");
}

}  // namespace fusecheck::engine
