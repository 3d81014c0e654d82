// The loops of each instruction set that this machine has give the bits of those for any x86-64, compiled here.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "fusecheck/philox.hpp"
#include "numeric/functions_dispatch.hpp"
#include "numeric/philox_loops.hpp"
#include "numeric/round_loops.hpp"

namespace fusecheck::numeric {
namespace {

// Every kind of value: random patterns, and the special ones.
template <typename T>
std::vector<T> patterns() {
  const Philox rng(3, "patterns");
  std::vector<T> x = {T(0),
                      T(-0.0),
                      std::numeric_limits<T>::infinity(),
                      -std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN(),
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::max(),
                      T(65504),
                      T(65520),
                      T(0x1p-24),
                      T(0x1p-25)};
  for (std::uint64_t i = 0; i < 10007; ++i) {
    const PhiloxBlock block = rng.block(i);
    const auto wide = std::uint64_t{block[0]} << 32 | block[1];
    if constexpr (sizeof(T) == 8) {
      x.push_back(std::bit_cast<T>(wide));
    } else {
      x.push_back(std::bit_cast<T>(block[0]));
    }
    x.push_back(static_cast<T>(rng.normal(i) * 100));
  }
  return x;
}

template <typename T>
std::vector<T> run(RoundLoop<T> loop, const std::vector<T>& x) {
  std::vector<T> y(x.size());
  loop(x.data(), y.data(), x.size());
  return y;
}

template <typename T>
void expect_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(std::bit_cast<Bits>(a[i]), std::bit_cast<Bits>(b[i])) << i;
}

void expect_same(const RoundLoops& a, const RoundLoops& b) {
  const std::vector<double> x = patterns<double>();
  for (const auto loop :
       {&RoundLoops::f64_to_f64, &RoundLoops::f64_to_f32, &RoundLoops::f64_to_f16, &RoundLoops::f64_to_bf16}) {
    expect_same_bits(run(a.*loop, x), run(b.*loop, x));
  }
  const std::vector<float> z = patterns<float>();
  for (const auto loop : {&RoundLoops::f32_to_f32, &RoundLoops::f32_to_f16, &RoundLoops::f32_to_bf16}) {
    expect_same_bits(run(a.*loop, z), run(b.*loop, z));
  }
  for (const auto loop : {&RoundLoops::narrow_f16, &RoundLoops::narrow_bf16}) {
    std::vector<std::uint16_t> p(z.size()), q(z.size());
    (a.*loop)(z.data(), p.data(), z.size());
    (b.*loop)(z.data(), q.data(), z.size());
    EXPECT_EQ(p, q);
  }
  std::vector<std::uint8_t> p(z.size()), q(z.size());
  a.truths(z.data(), p.data(), z.size());
  b.truths(z.data(), q.data(), z.size());
  EXPECT_EQ(p, q);
  std::vector<std::uint16_t> every(65536 + 3);  // and a rest that fills no vector
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::uint16_t>(i);
  for (const auto loop : {&RoundLoops::widen_f16, &RoundLoops::widen_bf16}) {
    std::vector<float> v(every.size()), w(every.size());
    (a.*loop)(every.data(), v.data(), every.size());
    (b.*loop)(every.data(), w.data(), every.size());
    for (std::size_t i = 0; i < every.size(); ++i) {
      ASSERT_TRUE(std::bit_cast<std::uint32_t>(v[i]) == std::bit_cast<std::uint32_t>(w[i]) ||
                  (v[i] != v[i] && w[i] != w[i]));
    }
  }
}

void expect_same(const PhiloxLoops& a, const PhiloxLoops& b) {
  const PhiloxKey key = {{1, 2}, {0xdeadbeef, 7}};
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xfffffff0}, std::uint64_t{1} << 40}) {
    std::vector<std::uint32_t> x(64), y(64);
    a.words(key, first, x.size(), x.data());
    b.words(key, first, y.size(), y.data());
    EXPECT_EQ(x, y);
    a.normal_sums(key, first, x.size(), x.data());
    b.normal_sums(key, first, y.size(), y.data());
    EXPECT_EQ(x, y);
  }
}

TEST(Dispatch, Avx2RoundsAndDrawsAlike) {
  if (!function_level(1).available()) return;
  expect_same(round_loops(), round_loops_avx2());
  expect_same(philox_loops_here(), philox_loops_avx2());
}

TEST(Dispatch, Avx512RoundsAndDrawsAlike) {
  if (!function_level(2).available()) return;
  expect_same(round_loops(), round_loops_avx512());
  expect_same(philox_loops_here(), philox_loops_avx512());
}

}  // namespace
}  // namespace fusecheck::numeric
