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
  int min_exponent = -132; // exponents below this align as this one; a unit without such a floor: -100000
  Rounding final_rounding = Rounding::toward_zero;
  bool operator==(const MatrixUnit&) const = default;
};

// The order in which a sum of n terms is carried out (N5).
enum class SumKind {
  sequential,  // s = fma(a_k, b_k, s), k ascending, the bias is the initial value
  reversed,    // the same, k descending
  pairwise,    // products rounded once, halves added recursively: split at the largest power of two below n; bias last
  block16,     // a balanced tree over each 16 products (missing ones are +0), then s = s + tree, k ascending
  split_k,     // `parts` chunks of ceil(n/parts) terms, each sequential from 0, then added in order; bias first
  matrix_unit, // groups of `unit.products`, k ascending
};

struct SumOrder {
  SumKind kind = SumKind::sequential;
  int parts = 1;          // split_k only
  MatrixUnit unit = {};   // matrix_unit only
  bool operator==(const SumOrder&) const = default;
};

// The order of the k index of a convolution: as in a plain layout, or as in blocked layouts with c0 channels innermost.
enum class KOrder { c_kh_kw, c1_kh_kw_c0 };

struct NumericModel {
  std::string name = "ieee";
  DType accumulate = DType::f32;  // f32, or f16: every step of a sum of products is one f16 FMA
  SumOrder sum = {};
  KOrder k_order = KOrder::c_kh_kw;
  int c0 = 16;                    // block of KOrder::c1_kh_kw_c0
  RoundingRule store = {};        // how values go to storage
  bool flush_subnormals = false;  // f32 results below 2^-126 become 0, as hardware in flush mode does
  bool declared = false;          // parameters that nobody has measured: every report says so
  bool operator==(const NumericModel&) const = default;
};

// "ieee", "fp16-accumulate", "mma:8,24", "ascend-a2", with options behind a comma-free colon list for sums:
// "ieee/pairwise", "ieee/split_k:4", "ieee/block16", "ieee/reversed", "ieee/c0:16". Usage error otherwise.
NumericModel parse_model(std::string_view text);
std::string to_text(const NumericModel& model);  // parse_model(to_text(m)) == m
struct ModelDescription {
  std::string name, doc;
};
std::vector<ModelDescription> list_models();

}  // namespace fusecheck
