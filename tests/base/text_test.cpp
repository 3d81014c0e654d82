#include "base/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <limits>
#include <string>

#include "support/expect_error.hpp"

namespace fusecheck::base {
namespace {

using testing::expect_error;

TEST(Suggestion, NamesTheNearestCandidate) {
  const std::vector<std::string> ops = {"ConvBn", "ConvBnRelu", "ConvRelu"};
  EXPECT_EQ(suggestion("ConvBnRelo", ops), " Did you mean 'ConvBnRelu'?");
  EXPECT_EQ(suggestion("convbnrelu", ops), " Did you mean 'ConvBnRelu'?");  // case alone costs nothing
  EXPECT_EQ(suggestion("ConvRleu", ops), " Did you mean 'ConvRelu'?");      // one swap of neighbours
  EXPECT_EQ(suggestion("--stirde", {"--shape", "--stride"}), " Did you mean '--stride'?");
}

TEST(Suggestion, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(suggestion("Softmax", {"ConvBn", "ConvRelu"}), "");
  EXPECT_EQ(suggestion("x", {"weight"}), "");
  EXPECT_EQ(suggestion("", {"x"}), "");
  EXPECT_EQ(suggestion("relu", {}), "");
  EXPECT_EQ(suggestion("--nope", {"--op", "--shape"}), "");  // two edits of four letters: dashes are no spelling
}

TEST(Suggestion, AllowsOneEditForThreeCharacters) {
  EXPECT_EQ(suggestion("abcdef", {"abcdXY"}), " Did you mean 'abcdXY'?");  // two edits of six
  EXPECT_EQ(suggestion("abcde", {"abcXY"}), "");                           // two edits of five
  EXPECT_EQ(suggestion("ab", {"aX"}), " Did you mean 'aX'?");              // one is always allowed
}

TEST(Suggestion, TakesTheFirstOfEquallyNear) { EXPECT_EQ(suggestion("bb", {"ba", "bc"}), " Did you mean 'ba'?"); }

// The shortest decimals that read back to the same double, known from the literature on printing floating point.
TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1), "1");
  EXPECT_EQ(number_text(-2.5), "-2.5");
  EXPECT_EQ(number_text(1e-5), "1e-05");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(number_text(0x1p-1074), "5e-324");
  EXPECT_EQ(number_text(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(NumberText, NamesWhatIsNotFinite) {
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(number_text(-0.0), "-0");
}

TEST(ParseNumber, ReadsTheWholeText) {
  EXPECT_EQ(parse_number("1e-3", "--eps"), 1e-3);
  EXPECT_EQ(parse_number("-3", "--eps"), -3.0);
  EXPECT_EQ(parse_number(".5", "--eps"), 0.5);
  EXPECT_EQ(parse_number("1E+2", "--eps"), 100.0);
  // Half way between 1 and the next double, and a little above: only correct rounding tells them apart.
  EXPECT_EQ(parse_number("1.00000000000000011102230246251565404236316680908203125", "n"), 1.0);
  EXPECT_EQ(parse_number("1.00000000000000011102230246251565404236316680908203126", "n"), 1.0 + 0x1p-52);
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const char* text : {"", " 1", "1 ", "le-3", "1e", "1e-3x", "1,5", "0x10", "+1", "--1", "nan", "inf", "-inf"}) {
    expect_error(ErrorKind::usage, "--eps: '" + std::string(text) + "' is not a number such as 3, 0.5 or 1e-3",
                 [&] { parse_number(text, "--eps"); });
  }
  expect_error(ErrorKind::usage, "--eps: '1e999' is outside the range of a double",
               [] { parse_number("1e999", "--eps"); });
}

TEST(ParseNumber, IgnoresTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Where no such locale is installed this changes nothing, and the numbers must still hold.
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(parse_number("1.5", "n"), 1.5);
  EXPECT_EQ(number_text(1.5), "1.5");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(ParseInteger, ReadsTheWholeText) {
  EXPECT_EQ(parse_integer("0", "n"), 0);
  EXPECT_EQ(parse_integer("-17", "n"), -17);
  EXPECT_EQ(parse_integer("9223372036854775807", "n"), std::numeric_limits<std::int64_t>::max());
}

TEST(ParseInteger, RefusesEverythingElse) {
  for (const char* text : {"", "1.0", "1e3", "0x1", "+1", " 1", "1 ", "one"}) {
    expect_error(ErrorKind::usage, "--oc: '" + std::string(text) + "' is not an integer",
                 [&] { parse_integer(text, "--oc"); });
  }
  expect_error(ErrorKind::usage, "--oc: '9223372036854775808' is outside the range of a 64-bit integer",
               [] { parse_integer("9223372036854775808", "--oc"); });
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,b", ','), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(split(",a,", ','), (std::vector<std::string>{"", "a", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(Quoted, StaysOnOneShortLine) {
  EXPECT_EQ(base::quoted("w=1"), "'w=1'");
  EXPECT_EQ(base::quoted("a\nb\x1b\xff"), "'a\\x0ab\\x1b\\xff'");
  EXPECT_EQ(base::quoted(std::string(81, 'z')), "'" + std::string(80, 'z') + "...'");
  EXPECT_EQ(base::quoted("\u5377\u79ef \u00e9 \U0001f600"), "'\u5377\u79ef \u00e9 \U0001f600'");
  EXPECT_EQ(base::quoted("\xe5\x8d"), "'\\xe5\\x8d'");                               // cut off
  EXPECT_EQ(base::quoted("\xc0\xaf \xe0\x80\xaf"), "'\\xc0\\xaf \\xe0\\x80\\xaf'");  // '/', longer than need be
  EXPECT_EQ(base::quoted("\xed\xa0\x80 \xf4\x90\x80\x80"), "'\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80'");  // no characters
  EXPECT_EQ(base::quoted("\u202ex \u009b"), "'\\xe2\\x80\\xaex \\xc2\\x9b'");  // right to left; a control sequence
  const std::string most = std::string(79, 'z');  // a character is shown whole or not at all
  EXPECT_EQ(base::quoted(most + "\u00e9"), "'" + most + "...'");
}

// ESC is 033 and newline 012 in octal; bash reads them back from $'...', where ' and \ need a backslash.
// A name that is cut cannot be found.
TEST(Quoted, PathsAreWhole) {
  const std::string path = "/" + std::string(300, 'd') + "/x.npy";
  EXPECT_EQ(base::quoted_path(path), "'" + path + "'");
  EXPECT_EQ(base::quoted_path("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(base::quoted_path(std::string(5000, 'z')), "'" + std::string(4096, 'z') + "...'");
}

TEST(ShellWord, IsQuotedOnlyWhereItMustBe) {
  EXPECT_EQ(base::shell_word("out/y.npy"), "out/y.npy");
  EXPECT_EQ(base::shell_word(""), "''");
  EXPECT_EQ(base::shell_word("my out"), "'my out'");
  EXPECT_EQ(base::shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(base::shell_word("a\x1b[31m\nb'\\"), "$'a\\033[31m\\012b\\'\\\\'");
}

}  // namespace
}  // namespace fusecheck::base
