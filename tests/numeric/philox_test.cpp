#include "fusecheck/philox.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

// The known answers of the authors' Random123 (tests/kat_vectors, philox4x32 10).
TEST(Philox, PublishedVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// C++26 [rand.predef]: the 10000th value of a default std::philox4x32 (seed 20111115) is 1955073260. Value 10000 is the
// last word of the block with counter 2499.
TEST(Philox, TenThousandthValueOfTheStandard) { EXPECT_EQ(philox4x32({2499, 0, 0, 0}, {20111115, 0})[3], 1955073260U); }

// The counter is the index, then FNV-1a of the stream's name; of "a" that is 0xaf63dc4c8601ec8c (its authors' test
// vectors). The key is the seed.
TEST(Philox, CounterAndKey) {
  const Philox stream(0x0123456789abcdef, "a");
  EXPECT_EQ(stream.block(0x100000007), philox4x32({7, 1, 0x8601ec8c, 0xaf63dc4c}, {0x89abcdef, 0x01234567}));
  EXPECT_EQ(stream.word(5), stream.block(5)[0]);
}

TEST(Philox, IntegersFillTheirRangeEvenly) {
  const Philox stream(1, "integers");
  std::array<int, 7> count{};
  for (std::uint64_t i = 0; i < 7000; ++i) {
    const std::int64_t value = stream.integer(i, -3, 3);
    ASSERT_GE(value, -3);
    ASSERT_LE(value, 3);
    ++count[static_cast<std::size_t>(value + 3)];
  }
  // Binomial(7000, 1/7): mean 1000, standard deviation 29.3; six of them either way.
  for (const int n : count) EXPECT_NEAR(n, 1000, 176);
  EXPECT_EQ(stream.integer(3, 5, 5), 5);
  // The whole range of a word is the word itself.
  EXPECT_EQ(stream.integer(9, -2147483648, 2147483647), std::int64_t{stream.word(9)} - 2147483648);
  EXPECT_THROW(stream.integer(0, 2, 1), Error);
  EXPECT_THROW(stream.integer(0, 0, std::int64_t{1} << 32), Error);
}

TEST(Philox, UniformIsTheTop24BitsOfAWord) {
  const Philox stream(3, "uniform");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(stream.uniform(i) * 0x1p24, static_cast<double>(stream.word(i) / 256));
  }
}

TEST(Philox, NormalMomentsAndGrid) {
  const Philox stream(7, "normal");
  constexpr int n = 100000;
  double sum = 0, squares = 0, fourths = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = stream.normal(i);
    ASSERT_LT(std::fabs(x), 6);
    ASSERT_EQ(x * 0x1p16, std::trunc(x * 0x1p16));
    ASSERT_EQ(static_cast<double>(static_cast<float>(x)), x);
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  // Twelve uniforms: variance 1, fourth moment 3 - 6/(5·12) = 2.9. Six standard errors: 6/sqrt(n), 6·sqrt(1.9/n); the
  // fourth moment's error is below 6·sqrt(105/n), 105 being the eighth moment of the normal distribution.
  EXPECT_NEAR(sum / n, 0, 0.019);
  EXPECT_NEAR(squares / n, 1, 0.027);
  EXPECT_NEAR(fourths / n, 2.9, 0.2);
}

// By hand from the two blocks that element 11 owns.
TEST(Philox, NormalIsTheCentredSumOfTwelveFields) {
  const Philox stream(7, "normal");
  const PhiloxBlock first = stream.block(22), second = stream.block(23);
  std::int64_t sum = 0;
  for (const std::uint32_t w : {first[0], first[1], first[2], first[3], second[0], second[1]}) {
    sum += (w >> 16) + (w & 0xffff);
  }
  EXPECT_EQ(stream.normal(11), static_cast<double>(sum - 6 * 65535) / 65536);
}

// In order, two sequences at a time, every 31st, back and forth: whatever a reader draws ahead is the stream's own.
TEST(PhiloxReader, GivesTheNumbersOfItsStream) {
  const Philox stream(9, "read");
  const PhiloxReader reader(stream);
  const auto expect_at = [&](std::uint64_t i) {
    ASSERT_EQ(reader.word(i), stream.word(i)) << i;
    ASSERT_EQ(reader.normal(i), stream.normal(i)) << i;
    ASSERT_EQ(reader.uniform(i), stream.uniform(i)) << i;
    ASSERT_EQ(reader.integer(i, -3, 8), stream.integer(i, -3, 8)) << i;
  };
  for (std::uint64_t i = 0; i < 300; ++i) expect_at(i);
  for (std::uint64_t i = 0; i < 300; ++i) {
    expect_at(i);
    expect_at(i + (std::uint64_t{1} << 40));
  }
  for (std::uint64_t i = 0; i < 3000; i += 31) expect_at(i);
  for (std::uint64_t i = 300; i-- > 0;) expect_at(i);
  for (const std::uint64_t i : {5U, 6U, 7U, 6U, 70U, 71U, 8U, 72U, 135U, 136U}) expect_at(i);
  expect_at((std::uint64_t{1} << 32) - 1);  // the counter's second word follows
  expect_at(std::uint64_t{1} << 32);
  expect_at((std::uint64_t{1} << 32) + 1);
}

TEST(Philox, SeedsAndStreamsDiffer) {
  std::set<std::uint32_t> words;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const char* name : {"x", "w", "bias"}) words.insert(Philox(seed, name).word(0));
  }
  EXPECT_EQ(words.size(), 9U);
}

}  // namespace
}  // namespace fusecheck
