// The table of standards, and those of numpy, PyTorch and oneDNN.
#include "verify/standards.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "verify/element_rules.hpp"

namespace fusecheck::verify {
namespace {

constexpr std::string_view experimental_standard =
    "hicann/opbase docs/en/ops_precision_standard/experimental_standard.md";
constexpr std::string_view commercial_standard =
    "CANN commercial operator precision standard (hicann/opbase 6049643, 9 Apr 2026, withdrawn 22 Apr 2026)";

constexpr std::array<Standard, 12> standards = {{
    {"exact", 0, false, "actual == truth (-0 equals +0, NaN meets NaN)", "IEEE 754-2019 5.11", apply_exact},
    {"ulp", 1, false, "at most n representable values from truth", "fusecheck", apply_ulp},
    {"mixed", 2, false, "|actual - truth| <= atol + rtol |truth| for every element", "numpy.allclose with equal_nan",
     apply_mixed},
    {"cann-mixed-2026-07", 0, true,
     "|a-t| <= atol + rtol |t| for 99 % (rtol = atol = 2^-9 f16, 2^-6 bf16; 2^-10, 2^-16 f32) and every |a-t| <= 0.1 "
     "f16, 1 bf16, 0.01 f32, or within 32 ULP",
     "hicann/opbase adbe441 (15 Jul 2026), experimental_standard.md", apply_cann_mixed},
    {"cann-mere-mare-2026-04", 0, true,
     "rel = |a-t| / (|t| + 1e-7): mean < T and max < 10 T; T = 2^-10 f16, 2^-7 bf16, 2^-13 f32", experimental_standard,
     apply_cann_mere_mare},
    {"cann-cross-l0", 0, false,
     "against a third implementation: max, mean and RMS of rel at most 10, 2 and 2 times its own; errors at small "
     "values at most twice as many",
     commercial_standard, apply_cann_cross_l0},
    {"cann-cross-l1", 0, false, "as cann-cross-l0 with 5, 1.5 and 1.5", commercial_standard, apply_cann_cross_l1},
    {"cann-cross-l2", 0, false, "as cann-cross-l0 with 2, 1.2 and 1.2", commercial_standard, apply_cann_cross_l2},
    {"ascendc-sample", 0, true,
     "numpy.isclose outside on at most a share: rtol, atol, share = 1e-3, 1e-3, 1e-3 for 16 bits; 1e-6, 1e-9, 1e-4 "
     "f32",
     "mirror-cann/asc-devkit 82b89a15, examples/**/verify_result.py: the commonest tuples of 152",
     apply_ascendc_sample},
    {"msprobe", 0, true,
     "stage 1: cosine > 0.99, then max |a-t| < 0.001, or rel < 1e-2 on over 99 % (16 bits), rel < 1e-3 on over 99.9 % "
     "(f32); its warnings pass",
     "Ascend/msprobe 8ff00da3, api_accuracy_checker", apply_msprobe},
    {"torch", 0, true,
     "torch.testing.assert_close: rtol 1e-3 f16, 1.6e-2 bf16, 1.3e-6 f32, 1e-7 f64; atol 1e-5 (f64 1e-7); NaN fails",
     "PyTorch 2.x, torch.testing.assert_close defaults", apply_torch},
    {"benchdnn", 0, true,
     "|a-t| / |t| (|a-t| where |t| <= 1e-5) at most 6e-7 f32, 4.9e-3 f16, 3.9e-2 bf16: its batch-normalisation "
     "threshold, as convolution has 0 and exact data only",
     "oneDNN v3.13.1, tests/benchdnn", apply_benchdnn},
}};

std::string number(double value) { return base::number_text(value); }

}  // namespace

std::span<const Standard> all_standards() { return standards; }

const Standard& find_standard(std::string_view name) {
  const auto found = std::ranges::find(standards, name, &Standard::name);
  if (found == standards.end()) internal_error("standard '" + std::string(name) + "' is not in the table");
  return *found;
}

StandardVerdict apply_exact(const StandardInput& input) {
  return all_inside(outside_of(input, agree), input.size(), "differ from truth");
}

StandardVerdict apply_ulp(const StandardInput& input) {
  const std::int64_t most = input.tolerance.max_ulp;
  const auto inside = [&](double t, double a) { return agree(t, a) || ulp_distance(input.dtype, t, a) <= most; };
  return all_inside(outside_of(input, inside), input.size(), "more than " + std::to_string(most) + " ULP from truth");
}

StandardVerdict apply_mixed(const StandardInput& input) {
  const double rtol = input.tolerance.rtol, atol = input.tolerance.atol;
  const auto inside = [&](double t, double a) { return is_close(t, a, rtol, atol); };
  return all_inside(outside_of(input, inside), input.size(),
                    "outside atol + rtol |truth|, atol " + number(atol) + ", rtol " + number(rtol));
}

StandardVerdict apply_torch(const StandardInput& input) {
  constexpr PerType rtols = {1e-3, 1.6e-2, 1.3e-6, 1e-7};
  constexpr PerType atols = {1e-5, 1e-5, 1e-5, 1e-7};
  const bool floating = is_floating(input.dtype);
  const double rtol = floating ? rtols.of(input.dtype) : 0, atol = floating ? atols.of(input.dtype) : 0;
  // equal_nan is off by default there: NaN agrees with nothing.
  const auto inside = [&](double t, double a) { return t == t && is_close(t, a, rtol, atol); };
  return all_inside(outside_of(input, inside), input.size(),
                    "outside atol + rtol |truth|, atol " + number(atol) + ", rtol " + number(rtol) + ", or NaN");
}

StandardVerdict apply_benchdnn(const StandardInput& input) {
  if (!is_floating(input.dtype)) return apply_exact(input);
  // c · 6e-7 with c = 2^(24 - p); f64 is taken as f32.
  constexpr PerType thresholds = {6e-7 * 0x1p13, 6e-7 * 0x1p16, 6e-7, 6e-7};
  constexpr double absolute_below = 1e-5;
  const double threshold = thresholds.of(input.dtype);
  const auto inside = [&](double t, double a) {
    const double scale = std::abs(t) > absolute_below ? std::abs(t) : 1;
    return agree_or(std::abs(t - a) / scale <= threshold, t, a);
  };
  return all_inside(outside_of(input, inside), input.size(), "beyond the threshold " + number(threshold));
}

}  // namespace fusecheck::verify
