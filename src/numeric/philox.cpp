// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11.
#include "fusecheck/philox.hpp"

#include <string>

#include "fusecheck/error.hpp"
#include "numeric/functions_dispatch.hpp"
#include "numeric/philox_loops.hpp"

namespace fusecheck {
namespace {

// Multipliers and Weyl increments (golden ratio, sqrt(3) - 1) of the paper, table 2 and section 4.3.
constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;
constexpr int rounds = 10;

constexpr std::uint32_t low_half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high_half(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// FNV-1a, 64 bits (Fowler, Noll, Vo).
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

std::uint32_t sum_of_16_bit_fields(const PhiloxBlock& block, std::size_t words) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += (block[i] & 0xffffU) + (block[i] >> 16);
  return sum;
}

}  // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {high_half(product_1) ^ counter[1] ^ key[0], low_half(product_1),
               high_half(product_0) ^ counter[3] ^ key[1], low_half(product_0)};
    key = {key[0] + weyl_0, key[1] + weyl_1};
  }
  return counter;
}

Philox::Philox(std::uint64_t seed, std::string_view stream)
    : key_{low_half(seed), high_half(seed)}, stream_{low_half(fnv1a(stream)), high_half(fnv1a(stream))} {}

PhiloxBlock Philox::block(std::uint64_t index) const {
  return philox4x32({low_half(index), high_half(index), stream_[0], stream_[1]}, key_);
}

std::uint32_t Philox::word(std::uint64_t index) const { return block(index)[0]; }

namespace {

std::int64_t integer_of(std::uint32_t word, std::int64_t low, std::int64_t high) {
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (low > high || width > 0xffff'ffffU) {
    internal_error("Philox::integer: [" + std::to_string(low) + ", " + std::to_string(high) +
                   "] is empty or wider than 2^32");
  }
  return low + static_cast<std::int64_t>((std::uint64_t{word} * (width + 1)) >> 32);
}

// Twelve fields are six words; their mean is 12 · 65535/2 = 393210.
double normal_of(std::uint32_t sum) { return (static_cast<double>(sum) - 393210.0) * 0x1p-16; }

double uniform_of(std::uint32_t word) { return static_cast<double>(word >> 8) * 0x1p-24; }

const numeric::PhiloxLoops& loops_baseline() {
  static constexpr numeric::PhiloxLoops loops = numeric::philox_loops_here();
  return loops;
}

const numeric::PhiloxLoops& best_loops() {
  static const numeric::PhiloxLoops& best =
      numeric::best_of(loops_baseline, numeric::philox_loops_avx2, numeric::philox_loops_avx512);
  return best;
}

}  // namespace

std::int64_t Philox::integer(std::uint64_t index, std::int64_t low, std::int64_t high) const {
  return integer_of(word(index), low, high);
}

std::uint32_t Philox::normal_sum(std::uint64_t index) const {
  return sum_of_16_bit_fields(block(2 * index), 4) + sum_of_16_bit_fields(block(2 * index + 1), 2);
}

double Philox::normal(std::uint64_t index) const { return normal_of(normal_sum(index)); }

double Philox::uniform(std::uint64_t index) const { return uniform_of(word(index)); }

std::uint32_t PhiloxReader::drawn(Runs& runs, std::uint64_t index, bool normal) const {
  for (std::size_t i = 0; i < runs.run.size(); ++i) {
    Run& run = runs.run[i];
    if (index >= run.first && index < run.last) return run.at[static_cast<std::size_t>(index - run.first)];
    if (index != run.next || index == 0) continue;
    static_assert(ahead % numeric::philox_lanes == 0);
    const numeric::PhiloxKey key = {{philox_.key_[0], philox_.key_[1]}, {philox_.stream_[0], philox_.stream_[1]}};
    (normal ? best_loops().normal_sums : best_loops().words)(key, index, ahead, run.at.data());
    run.first = index;
    run.last = run.next = index + ahead;
    runs.newest = i;
    return run.at[0];
  }
  runs.newest = 1 - runs.newest;
  Run& run = runs.run[runs.newest];
  run.first = run.last = 0;
  run.next = index + 1;
  return normal ? philox_.normal_sum(index) : philox_.word(index);
}

std::uint32_t PhiloxReader::word(std::uint64_t index) const { return drawn(words_, index, false); }

double PhiloxReader::normal(std::uint64_t index) const { return normal_of(drawn(normals_, index, true)); }

std::int64_t PhiloxReader::integer(std::uint64_t index, std::int64_t low, std::int64_t high) const {
  return integer_of(word(index), low, high);
}

double PhiloxReader::uniform(std::uint64_t index) const { return uniform_of(word(index)); }

}  // namespace fusecheck
