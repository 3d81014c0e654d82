// The kernels without vector instructions: any x86-64, and the plain reading of every method.
#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/elementwise_kernel.hpp"
#include "engine/fma_kernel.hpp"
#include "engine/half_kernel.hpp"
#include "engine/kernels.hpp"
#include "engine/matrix_unit_kernel.hpp"
#include "engine/tree_kernel.hpp"

namespace fusecheck::engine {

namespace {

template <class T>
struct One {
  using Lane = T;
  using Register = T;
  static constexpr int lanes = 1;
  static T load(const T* p) { return *p; }
  static void store(T* p, T x) { *p = x; }
  static T broadcast(const T* p) { return *p; }
  static T zero() { return T(0); }
  static T minus_zero() { return -T(0); }
  static T add(T x, T y) { return x + y; }
  static T sub(T x, T y) { return x - y; }
  static T mul(T x, T y) { return x * y; }
  static T fma(T x, T y, T z) { return std::fma(x, y, z); }
};

struct OneHalf : One<float> {
  using Suspects = bool;
  static bool no_suspects() { return false; }
  // 13 bits of an f32 significand lie below an f16 one; a lone top bit among them looks like a tie. Below 2^-14 the f16
  // spacing is wider, so every sum there is suspect.
  static bool add_ties(bool found, float s) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(s);
    return found || (bits & 0x1fffu) == 0x1000u || (bits & 0x7fffffffu) < 0x38800000u;
  }
  static bool any(bool found) { return found; }
  static float make_odd(float s, float error) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(s);
    if (!(error < 0 || error > 0) || (bits & 1) != 0) return s;
    return std::bit_cast<float>((error > 0) == (s > 0) ? bits + 1 : bits - 1);
  }
  static float round_to_half(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits & 0x80000000u;
    std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return x;
    if (magnitude < 0x38800000u) {  // below 2^-14: multiples of 2^-24, the spacing of f32 in [0.5, 1)
      const float rounded = (std::bit_cast<float>(magnitude) + 0.5f) - 0.5f;
      return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) | sign);
    }
    magnitude += 0xfffu + (magnitude >> 13 & 1u);
    magnitude &= ~0x1fffu;
    if (magnitude >= 0x47800000u) magnitude = 0x7f800000u;  // 2^16 and above
    return std::bit_cast<float>(magnitude | sign);
  }
};

struct OneUnit : One<float> {
  using Integers = std::int32_t;
  static Integers set_integers(std::int32_t x) { return x; }
  static Integers zero_integers() { return 0; }
  static Integers add_integers(Integers x, Integers y) { return x + y; }
  static Integers sub_integers(Integers x, Integers y) { return x - y; }
  static Integers max_integers(Integers x, Integers y) { return x > y ? x : y; }
  static void store_integers(std::int32_t* p, Integers x) { *p = x; }
  static Integers widen(const std::int8_t* p) { return *p; }
  static Integers exponents_of(float x) {
    return static_cast<Integers>(std::bit_cast<std::uint32_t>(x) >> 23 & 0xffu) - 127;
  }
  static float power_of_two(Integers e) { return std::bit_cast<float>(static_cast<std::uint32_t>(e + 127) << 23); }
  static float reciprocal_power(float x) {
    return std::bit_cast<float>((254u << 23) - std::bit_cast<std::uint32_t>(x));
  }
  static Integers truncated(float x) { return static_cast<Integers>(x); }
  static bool any_magnitude_from(Integers x, std::int32_t limit) { return x >= limit || x <= -limit; }
  static float rounded_to_nearest(Integers x) { return rounded_integer(x, false); }
  static float rounded_toward_zero(Integers x) { return rounded_integer(x, true); }

  template <int columns>
  struct Exponents {
    std::int8_t e[columns];
    static Exponents lowest() {
      Exponents x;
      for (std::int8_t& value : x.e) value = kZeroExponent;
      return x;
    }
    static Exponents load(const std::int8_t* p) {
      Exponents x;
      for (int i = 0; i < columns; ++i) x.e[i] = p[i];
      return x;
    }
    static void store(std::int8_t* p, const Exponents& x) {
      for (int i = 0; i < columns; ++i) p[i] = x.e[i];
    }
    static Exponents max_of_sum(Exponents most, std::int8_t a, const Exponents& b) {
      for (int i = 0; i < columns; ++i) {
        const int sum = a + b.e[i] < kZeroExponent ? kZeroExponent : a + b.e[i];
        if (sum > most.e[i]) most.e[i] = static_cast<std::int8_t>(sum);
      }
      return most;
    }
  };
};

struct TwoLanes {
  typedef double Double __attribute__((vector_size(16)));
  typedef float Float __attribute__((vector_size(8)));
  static constexpr int lanes = 2;
  static Double through_f32(Double x) { return __builtin_convertvector(__builtin_convertvector(x, Float), Double); }
};

constexpr KernelTable kTable = {
    .fma_f32 = {fma_kernel<One<float>, 4, 4>(), fma_kernel<One<float>, 4, 1>()},
    .fma_f64 = {fma_kernel<One<double>, 4, 4>(), fma_kernel<One<double>, 4, 1>()},
    .block16 = {block16_kernel<One<float>, 1, 4>(), block16_kernel<One<float>, 1, 1>()},
    .pairwise = {pairwise_kernel<One<float>, 1, 4>(), pairwise_kernel<One<float>, 1, 1>()},
    .fma_f16 = {half_kernel<OneHalf, 1, 4>(), half_kernel<OneHalf, 1, 1>()},
    .matrix_unit = {matrix_unit_kernel<OneUnit, 1, 4>(), matrix_unit_kernel<OneUnit, 1, 1>()},
    .elementwise = elementwise_table<TwoLanes>(),
};

}  // namespace

const KernelTable& scalar_kernels() { return kTable; }

}  // namespace fusecheck::engine
