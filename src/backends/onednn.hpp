// oneDNN as a third party: it computes one contraction on given operands with its own kernels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/dtype.hpp"

namespace fusecheck::backends {

// The library at run time and the instruction set that it uses here: "oneDNN 2.6.3 (avx512_core_bf16)".
std::string onednn_version();

// The contraction as oneDNN computes it, in the layout of problem.output_shape(). Operands are f32 values.
//   f32    every CPU; oneDNN is held to f32 multiplication whatever its environment variables allow
//   bf16   CPUs with bf16 instructions (avx512_core_bf16 and above), which treat subnormal operands and results as
//   zero;
//          oneDNN's emulation on older CPUs keeps them, so it is not used. Operands must be bf16 values, `bias` is f32,
//          the accumulator too; the result is rounded to bf16 once.
// Nothing, and why in `reason`, where oneDNN has no such kernel on this CPU. The order of the sums is oneDNN's own:
// any legal one, not always the same on two machines.
std::optional<std::vector<float>> replay(const engine::Contraction& problem, std::span<const float> a,
                                         std::span<const float> b, std::span<const float> bias, DType dtype,
                                         std::string& reason, int threads = 1);

}  // namespace fusecheck::backends
