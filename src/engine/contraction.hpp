// Order-defined sums of products: convolution forward and both its gradients, in one engine (NUMERICS.md N5, N6).
//
// Every output element is a sum over k of a_k·b_k that one lane of one thread computes in exactly the order that the
// model names, so the bits depend neither on the number of threads nor on the instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fusecheck/dtype.hpp"
#include "fusecheck/numeric_model.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck::engine {

struct Conv2dGeometry {
  std::int64_t n = 1, c = 1, h = 1, w = 1;  // x: n, c, h, w
  std::int64_t oc = 1, kh = 1, kw = 1;      // w: oc, c/groups, kh, kw
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int64_t dilation_h = 1, dilation_w = 1;
  std::int64_t groups = 1;
  std::int64_t oh() const { return (h + pad_top + pad_bottom - dilation_h * (kh - 1) - 1) / stride_h + 1; }
  std::int64_t ow() const { return (w + pad_left + pad_right - dilation_w * (kw - 1) - 1) / stride_w + 1; }
  bool operator==(const Conv2dGeometry&) const = default;
};

// forward          y[n,oc,oh,ow] = bias[oc] + Σ_{c,kh,kw} x·w       a = x,  b = w     k = c, kh, kw (K order of the
// model) data_gradient    dx[n,c,h,w]   = Σ_{oc,kh,kw} dy·w                a = dy, b = w     k = oc, kh, kw (same rule,
// oc for c) weight_gradient  dw[oc,c,kh,kw]= Σ_{n,oh,ow} x·dy                 a = x,  b = dy    k = n, oh, ow ascending
// A tap that falls on padding (or between the strides of a data gradient) is the term (+0)·b in its place, as in a
// kernel that pads its input with zeros; where b is infinite or NaN there the term is +0, so that 0·Inf never arises
// from padding. A blocked K order permutes the terms that exist: channels missing in the last block add none. NaN
// results are canonical.
enum class Direction : std::uint8_t { forward, data_gradient, weight_gradient };

struct Contraction {
  Direction direction = Direction::forward;
  Conv2dGeometry geometry;
  bool operator==(const Contraction&) const = default;
  Shape a_shape() const;
  Shape b_shape() const;
  Shape output_shape() const;
  std::int64_t terms() const;  // K, padding taps included
};

// How the sum is carried out; the part of a NumericModel that the engine needs.
struct Arithmetic {
  SumOrder sum = {};
  KOrder k_order = KOrder::c_kh_kw;
  int c0 = 16;
  DType accumulate = DType::f32;  // f32 or f16 (sequential only: each step is one f16 FMA, correctly rounded)
  static Arithmetic of(const NumericModel& model) { return {model.sum, model.k_order, model.c0, model.accumulate}; }
};

enum class Simd : std::uint8_t { automatic, scalar, avx2, avx512 };
Simd parse_simd(std::string_view text);  // "scalar", "avx2", "avx512", "auto"; usage error where the CPU lacks it
Simd best_simd();                        // what `automatic` means on this machine
std::string_view name_of(Simd simd);

struct Execution {
  int threads = 1;
  Simd simd = Simd::automatic;
};

// Emulation. Operands are f32 values (f16 and bf16 widened). `bias` is empty or one value per output channel (forward).
std::vector<float> contract(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                            std::span<const float> bias, const Arithmetic& arithmetic, const Execution& execution);

// Truth: f64 FMA chain, k ascending in c, kh, kw order, the bias first.
std::vector<double> contract_f64(const Contraction& problem, std::span<const double> a, std::span<const double> b,
                                 std::span<const double> bias, const Execution& execution);

// S = |bias| + Σ|a||b|, an upper bound within (1 + (K+4)·2^-23), from one f32 pass. Operands may be signed.
std::vector<float> absolute_sum(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                                std::span<const float> bias, const Execution& execution);

// Chosen outputs, for calibration (NUMERICS.md J4): flat output positions in ascending order, each drawn with Philox by
// whole rows of the engine so that evaluating them costs outputs·K and not more. All outputs when there are no more
// than `most`.
struct Sample {
  std::vector<std::int64_t> outputs;
  // What the engine needs to evaluate them (rows of its internal product, per group).
  std::vector<std::vector<std::int64_t>> rows;
};
Sample choose_outputs(const Contraction& problem, std::int64_t most, std::uint64_t seed);
// Values at sample.outputs, in that order; bit for bit the elements that contract() gives.
std::vector<float> contract_at(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                               std::span<const float> bias, const Arithmetic& arithmetic, const Sample& sample,
                               const Execution& execution);

// The same under many orders, which share what they can of the prepared operands. Keeps views of all it is given.
class SampledContraction {
 public:
  SampledContraction(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                     std::span<const float> bias, const Sample& sample, const Execution& execution);
  ~SampledContraction();
  SampledContraction(const SampledContraction&) = delete;
  SampledContraction& operator=(const SampledContraction&) = delete;
  std::vector<float> values(const Arithmetic& arithmetic);
  // The exact products of each of these elements of sample.outputs, one row of terms() each. Padding taps are zeros.
  std::vector<double> products(std::span<const std::size_t> places) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

// The exact products of one output in ascending c, kh, kw order (or n, oh, ow), padding taps left out. f32 operands.
std::vector<double> terms_of(const Contraction& problem, std::span<const float> a, std::span<const float> b,
                             std::int64_t output);

}  // namespace fusecheck::engine
