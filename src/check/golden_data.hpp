// Every tensor that golden data of one case holds: what a kernel reads, what it should write, and how far it may be
// off.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck {

// One legal way to compute the case (J2): a recipe, or the unfused body.
struct GoldenRecipe {
  std::string name;   // "epilogue", "fold", "unfused", "epilogue conv=f16"
  Tensors truth;      // per output and gradient: the correctly rounded value (J5), in storage
  Tensors low, high;  // the ends of what is legal (J4, J6), in storage
  Tensors emulated;   // what the declared model gives, bit for bit
};

struct GoldenData {
  Attrs attrs;     // complete, as run
  Tensors inputs;  // x, w ... and dy, which is 0 where a sign is open (J9)
  Tensors saved;   // what the first recipe's forward leaves for the backward (mask, conv ...)
  Tensors body;    // per output and gradient: the body without inner roundings in f64, rounded once to storage
  std::vector<GoldenRecipe> recipes;  // the named one; else those that are not lossy, cheapest first, unfused last
  std::int64_t kinks_zeroed = 0;      // elements of dy set to 0
};

// A pure function of the case and of the inputs that are `given`: its bits depend neither on `threads` nor on `simd`.
// Other data is drawn as check() draws it. Usage error: a wrong case, or one that names several data sets. No-verdict
// error: it does not fit into memory.
GoldenData golden_data(const CaseSpec& spec, int threads = 1, const std::string& simd = "auto",
                       const Tensors& given = {});

}  // namespace fusecheck
