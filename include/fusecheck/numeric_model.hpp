// How a device computes: a printable value, compared with ==.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/dtype.hpp"

namespace fusecheck {

// A matrix unit that adds L products and the accumulator in one step: every term is aligned to the largest exponent,
// cut to F fraction bits toward zero, summed as integers and rounded once (NUMERICS.md N7; measured parameters of
// V100 to B200: arXiv 2511.10909 and 2512.07004).
struct MatrixUnit {
  int products = 8;        // L
  int fraction_bits = 24;  // F
  int min_exponent =
      -132;  // the alignment exponent is at least this for f32 accumulators, 112 more for f16; -100000: none
  Rounding final_rounding = Rounding::toward_zero;  // of f32 results; f16 results round to nearest even
  bool operator==(const MatrixUnit&) const = default;
};

// The order in which a sum of n terms is carried out (N5).
enum class SumKind {
  sequential,  // s = fma(a_k, b_k, s), k ascending, the bias is the initial value
  reversed,    // the same, k descending
  pairwise,    // products rounded once, halves added recursively: split at the largest power of two below n; bias last
  block16,     // the pairwise tree over each 16 products (missing ones are +0), then s = s + tree, k ascending
  split_k,     // chunks of ceil(n/parts) terms, each sequential from +0, then added in order to the bias; none is empty
  matrix_unit,  // groups of `unit.products`, k ascending
};

struct SumOrder {
  SumKind kind = SumKind::sequential;
  int parts = 1;         // split_k only
  MatrixUnit unit = {};  // matrix_unit only
  bool operator==(const SumOrder&) const = default;
};

// The order of the k index of a convolution: as in a plain layout, or as in blocked layouts with c0 channels innermost.
enum class KOrder { c_kh_kw, c1_kh_kw_c0 };

struct NumericModel {
  std::string name = "ieee";
  DType accumulate = DType::f32;  // f32, or f16: every step of a sum of products is one f16 FMA
  SumOrder sum = {};
  KOrder k_order = KOrder::c_kh_kw;
  int c0 = 16;  // block of KOrder::c1_kh_kw_c0
  // 0, or the fraction bits that a matrix unit keeps of its f32 operands: 11 for HF32 of the Ascend 910B, 10 for TF32
  // and the 950's HF32. Nearest, ties away from zero (as CANN's golden data and cvt.rna.tf32 round).
  int operand_bits = 0;
  RoundingRule store = {};        // how values go to storage
  bool flush_subnormals = false;  // f32 results below 2^-126 become 0, as hardware in flush mode does
  bool declared = false;          // parameters that nobody has measured: every report says so
  bool operator==(const NumericModel&) const = default;
};

// A base name and options that each change one thing: "ieee", "ieee/pairwise", "mma:8,24/c0:16". Base names are ieee,
// fp16-accumulate, ascend-a2 and mma:L,F; `name` of the result is the base. "mma:L,F[,min_exponent[,rounding]]" takes
// the measured min_exponent -108-F where none is given: -131 (V100, F = 23; no f16 product reaches it), -132 (A100),
// -133 (H100). Options: sequential, reversed, pairwise, block16, split_k:N, mma:L,F, c0:N, accumulate:f16,
// operands:hf32, operands:tf32, store:ROUNDING, saturate, flush_stores, flush, declared. Usage error otherwise.
NumericModel parse_model(std::string_view text);
// parse_model(to_text(m)) == m where fields that the model does not use (such as `parts` without split_k) have the
// values of its base.
std::string to_text(const NumericModel& model);
struct ModelDescription {
  std::string name, doc;
};
std::vector<ModelDescription> list_models();

}  // namespace fusecheck
