// Ragged problems and operands for the tests of the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/contraction.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck::engine {

struct NamedGeometry {
  std::string name;
  Conv2dGeometry geometry;
};

inline std::vector<NamedGeometry> ragged_geometries() {
  return {
      {"plain",
       {.n = 1,
        .c = 5,
        .h = 9,
        .w = 16,
        .oc = 7,
        .kh = 3,
        .kw = 3,
        .pad_top = 1,
        .pad_left = 1,
        .pad_bottom = 1,
        .pad_right = 1}},
      {"ragged",
       {.n = 2,
        .c = 17,
        .h = 13,
        .w = 11,
        .oc = 20,
        .kh = 3,
        .kw = 5,
        .stride_h = 2,
        .stride_w = 1,
        .pad_top = 0,
        .pad_left = 1,
        .pad_bottom = 2,
        .pad_right = 1}},
      {"strided",
       {.n = 1,
        .c = 3,
        .h = 12,
        .w = 10,
        .oc = 35,
        .kh = 3,
        .kw = 2,
        .stride_h = 3,
        .stride_w = 2,
        .pad_top = 2,
        .pad_left = 0,
        .pad_bottom = 0,
        .pad_right = 3}},
      {"dilated",
       {.n = 1,
        .c = 4,
        .h = 11,
        .w = 12,
        .oc = 66,
        .kh = 3,
        .kw = 3,
        .pad_top = 2,
        .pad_left = 1,
        .pad_bottom = 2,
        .pad_right = 1,
        .dilation_h = 2,
        .dilation_w = 1}},
      {"groups",
       {.n = 2,
        .c = 12,
        .h = 7,
        .w = 6,
        .oc = 8,
        .kh = 3,
        .kw = 3,
        .pad_top = 1,
        .pad_left = 1,
        .pad_bottom = 1,
        .pad_right = 1,
        .groups = 4}},
      {"depthwise",
       {.n = 1,
        .c = 6,
        .h = 8,
        .w = 9,
        .oc = 6,
        .kh = 5,
        .kw = 3,
        .stride_h = 1,
        .stride_w = 2,
        .pad_top = 2,
        .pad_left = 1,
        .pad_bottom = 2,
        .pad_right = 1,
        .groups = 6}},
      {"pointwise", {.n = 3, .c = 33, .h = 4, .w = 5, .oc = 10}},
      {"overpadded",
       {.n = 1,
        .c = 2,
        .h = 3,
        .w = 2,
        .oc = 3,
        .kh = 2,
        .kw = 2,
        .stride_h = 2,
        .stride_w = 2,
        .pad_top = 3,
        .pad_left = 2,
        .pad_bottom = 3,
        .pad_right = 4}},
      {"long",
       {.n = 1,
        .c = 90,
        .h = 5,
        .w = 18,
        .oc = 6,
        .kh = 3,
        .kw = 3,
        .pad_top = 1,
        .pad_left = 1,
        .pad_bottom = 1,
        .pad_right = 1}},
      {"single", {}},
  };
}

// Normals; every 7th value a zero of either sign, every 11th tiny (its products are subnormal or 0 in f32).
inline std::vector<float> drawn(const Shape& shape, std::uint64_t seed, DType dtype) {
  const Philox philox(seed, "engine/test");
  std::vector<float> x(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < x.size(); ++i) {
    double value = philox.normal(i);
    if (i % 7 == 3) value = i % 2 == 0 ? 0.0 : -0.0;
    if (i % 11 == 5) value *= dtype == DType::f16 ? 0x1p-20 : 0x1p-75;
    if (dtype == DType::f32 && i % 13 == 6) value *= 0x1p-135;  // subnormal itself
    x[i] = static_cast<float>(round_to(dtype, value));
  }
  return x;
}

inline std::vector<Simd> available_paths() {
  std::vector<Simd> paths = {Simd::scalar};
  if (best_simd() >= Simd::avx2) paths.push_back(Simd::avx2);
  if (best_simd() >= Simd::avx512) paths.push_back(Simd::avx512);
  return paths;
}

struct NamedArithmetic {
  std::string name;
  Arithmetic arithmetic;
  DType operands;
};

inline std::vector<NamedArithmetic> all_arithmetic() {
  const auto sum = [](SumKind kind) { return Arithmetic{.sum = {.kind = kind}}; };
  const auto split = [](int parts) { return Arithmetic{.sum = {.kind = SumKind::split_k, .parts = parts}}; };
  const auto unit = [](int products, int bits, int floor) {
    return Arithmetic{.sum = {.kind = SumKind::matrix_unit,
                              .unit = {.products = products, .fraction_bits = bits, .min_exponent = floor}}};
  };
  Arithmetic nearest_unit = unit(8, 24, -132);
  nearest_unit.sum.unit.final_rounding = Rounding::nearest_even;
  Arithmetic half = sum(SumKind::sequential), half_reversed = sum(SumKind::reversed);
  half.accumulate = half_reversed.accumulate = DType::f16;
  std::vector<NamedArithmetic> all = {
      {"sequential", sum(SumKind::sequential), DType::f32},
      {"reversed", sum(SumKind::reversed), DType::f32},
      {"pairwise", sum(SumKind::pairwise), DType::f32},
      {"block16", sum(SumKind::block16), DType::f32},
      {"split_k:3", split(3), DType::f32},
      {"split_k:1000", split(1000), DType::f32},
      {"mma:4,23", unit(4, 23, -100000), DType::f16},
      {"mma:8,24", unit(8, 24, -132), DType::f16},
      {"mma:16,25", unit(16, 25, -133), DType::bf16},
      {"mma:16,25 f16", unit(16, 25, -133), DType::f16},
      {"mma:5,24", unit(5, 24, -132), DType::f32},
      {"mma:8,24 nearest", nearest_unit, DType::f16},
      {"mma:32,13", unit(32, 13, -132), DType::f16},
      {"f16", half, DType::f16},
      {"f16 reversed", half_reversed, DType::f16},
  };
  for (std::size_t i = 0, n = all.size(); i < n; ++i) {
    all.push_back(all[i]);
    all.back().name += " c1,kh,kw,c0";
    all.back().arithmetic.k_order = KOrder::c1_kh_kw_c0;
    all.back().arithmetic.c0 = i % 2 == 0 ? 16 : 4;
  }
  return all;
}

}  // namespace fusecheck::engine
