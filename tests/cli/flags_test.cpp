// The flag parser alone, in this process: the table is consistent, and no words make it crash.
#include "cli/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fusecheck/error.hpp"
#include "fusecheck/philox.hpp"

namespace fusecheck::cli {
namespace {

TEST(FlagTable, NamesEachFlagOnceWithItsGroup) {
  std::set<std::string> names;
  for (const Flag& flag : all_flags()) {
    EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    EXPECT_TRUE(flag.name.starts_with("--")) << flag.name;
    EXPECT_FALSE(flag.group.empty()) << flag.name;
  }
}

TEST(Flags, KeepRepeatedValuesInOrder) {
  const Given given = parse_flags({"--shape", "1,2,3,4", "--bias", "--shape=w=4,2,3,3"});
  EXPECT_THAT(given.all("--shape"), ::testing::ElementsAre("1,2,3,4", "w=4,2,3,3"));
  EXPECT_TRUE(given.has("--bias"));
  EXPECT_FALSE(given.has("--json"));
}

TEST(Flags, TakeNegativeNumbersAsValues) { EXPECT_EQ(parse_flags({"--atol", "-1e-3"}).one("--atol"), "-1e-3"); }

TEST(Flags, KeepEveryByteOfAValue) {
  const std::string odd = "a b\t'\"$\\\xff";
  EXPECT_EQ(parse_flags({"--save", odd}).one("--save"), odd);
}

// 3,000 calls of up to four awkward words, drawn with Philox: each is understood or refused as usage.
TEST(Flags, SurviveAnyWords) {
  const std::vector<std::string> words = {
      "",   "-",     "--",     "=",   "--=",    "-h",       "--op",    "--op=",     "ConvBn", "--op=x",   "[",
      "[]", "[1,2]", "--bias", "-1",  "--json", "--json=",  "--shape", "--shape=1", "---op",  "--OP",     "-op",
      "{}", "%%",    "--op==", "/op", "@file",  "--config", "--help",  "++",        "\xff\n", "--no-such"};
  const Philox rng(1, "words");
  int understood = 0, refused = 0;
  for (std::uint64_t call = 0; call < 3000; ++call) {
    std::vector<std::string> arguments;
    const auto length = static_cast<std::uint64_t>(rng.integer(8 * call, 1, 4));
    for (std::uint64_t i = 1; i <= length; ++i) {
      const std::int64_t pick = rng.integer(8 * call + i, 0, static_cast<std::int64_t>(words.size()) - 1);
      arguments.push_back(words[static_cast<std::size_t>(pick)]);
    }
    try {
      parse_flags(arguments);
      ++understood;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << ::testing::PrintToString(arguments) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << ::testing::PrintToString(arguments);
      ++refused;
    }
  }
  EXPECT_GT(understood, 0);
  EXPECT_GT(refused, understood);
}

}  // namespace
}  // namespace fusecheck::cli
