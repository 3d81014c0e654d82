// What no suite may say: each with the line and column that a person counted.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "fusecheck/suite.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Malformed {
  std::string name, text, place, says;
};
void PrintTo(const Malformed& bad, std::ostream* out) { *out << bad.text; }

class MalformedSuite : public ::testing::TestWithParam<Malformed> {};

const std::string good_case = "cases:\n  - ConvRelu/f16/x=1x4x6x6\n";

TEST_P(MalformedSuite, IsRefusedWithItsPlace) {
  const Malformed& bad = GetParam();
  const auto parse = [&] { parse_suite(bad.text, "s.yaml"); };
  expect_error(ErrorKind::usage, StartsWith("s.yaml:" + bad.place + ": "), parse);
  expect_error(ErrorKind::usage, HasSubstr(bad.says), parse);
}

std::vector<Malformed> malformed() {
  const std::string v = "version: 1\n";
  return {
      {"Empty", "", "1:1", "the file is empty"},
      {"OnlyAComment", "# nothing\n", "1:1", "the file is empty"},
      {"NoMap", "- version\n", "1:1", "suite must be a map"},
      {"NoVersion", good_case, "1:1", "a suite needs 'version'"},
      {"UnknownVersion", "version: 2\n" + good_case, "1:10", "version '2' is unknown"},
      {"NoCases", v, "1:1", "a suite needs 'matrix' or 'cases'"},
      {"Tab", v + "\tcases: 1\n", "2:1", "not YAML"},
      {"UnclosedList", v + "cases: [a, b\n", "2:12", "a bracket is not closed"},
      {"UnknownKey", v + "case:\n  - ConvRelu/f16/x=1x4x6x6\n", "2:1",
       "unknown key 'case' in suite. Did you mean 'cases'?"},
      {"DuplicateKey", v + good_case + "version: 1\n", "4:1", "key 'version' stands here twice, first in line 1"},
      {"DuplicateKeyBelow", v + "matrix:\n  - op: ConvRelu\n    shape: 1x4x6x6\n    op: ConvBn\n", "5:5",
       "key 'op' stands"},
      {"DuplicateKeyInJson", "{\"version\": 1, \"cases\": [], \"cases\": []}", "1:29", "key 'cases' stands here twice"},
      {"Anchor", v + "cases: &all\n  - ConvRelu/f16/x=1x4x6x6\n", "2:8", "anchors"},
      {"AnchorOnAWord", v + "name: &n pr\n" + good_case, "2:7", "anchors"},
      {"Alias", v + "name: *n\n" + good_case, "2:7", "anchor is not defined"},
      {"Tag", v + "name: !!str pr\n" + good_case, "2:7", "tags"},
      {"OwnTag", v + "cases: !mine\n  - ConvRelu/f16/x=1x4x6x6\n", "2:8", "tags"},
      {"MergeKey", v + "cases:\n  - <<: {op: ConvRelu}\n    shape: 1x4x6x6\n", "3:5", "merge keys"},
      {"SecondDocument", v + good_case + "---\nversion: 1\n", "4:1", "a second document begins"},
      {"ListAsKey", v + "? [a]\n: b\n", "2:3", "a key must be a plain word"},
      {"NoValue", v + "cases:\n", "3:1", "a value is missing"},
      {"EmptyText", v + "name: ''\n" + good_case, "2:7", "a value is empty"},
      {"EmptyList", v + "cases: []\n", "2:8", "cases is an empty list"},
      {"CasesNoList", v + "cases: ConvRelu/f16/x=1x4x6x6\n", "2:8", "cases must be a list"},
      {"CaseLineTooShort", v + "cases:\n  - ConvRelu/f16\n", "3:5", "needs at least OP/DTYPE/x=DIMS"},
      {"CaseOfUnknownOp", v + "cases:\n  - ConvRleu/f16/x=1x4x6x6\n", "3:5", "Did you mean 'ConvRelu'?"},
      {"CaseThatDoesNotFit", v + "cases:\n  - ConvRelu/f16/x=1x4x6x6/kernel=9,pad=0\n", "3:5",
       "case 'ConvRelu/f16/x=1x4x6x6/"},
      {"CaseTwice", v + good_case + "  - {op: ConvRelu, shape: 1x4x6x6}\n", "4:5", "is there twice, first by line 3"},
      {"CaseWithoutOp", v + "cases:\n  - {shape: 1x4x6x6}\n", "3:5", "the case names no op"},
      {"UnknownField", v + "cases:\n  - {op: ConvRelu, shape: 1x4x6x6, strid: 2}\n", "3:36", "Did you mean 'stride'?"},
      {"FieldIsAList", v + "cases:\n  - {op: ConvRelu, shape: [1, 4, 6, 6]}\n", "3:27", "shape must be one value"},
      {"NoIsNoBoolean", v + "cases:\n  - {op: ConvRelu, shape: 1x4x6x6, bias: no}\n", "3:42",
       "'no' is none of false, true"},
      {"LetterInANumber", v + "cases:\n  - {op: ConvBn, shape: 1x4x6x6, eps: le-3}\n", "3:39", "'le-3'"},
      {"NegativeSeed", v + "defaults:\n  seed: -1\n" + good_case, "3:9", "is not a whole number from 0"},
      {"SetTwice", v + "defaults:\n  data: [exact, exact]\n" + good_case, "3:9", "names exact twice"},
      {"UnknownDtype", v + "defaults: {dtype: float15}\n" + good_case, "2:19", "float15"},
      {"MatrixNoList", v + "matrix:\n  op: ConvRelu\n", "3:3", "matrix must be a list"},
      {"MatrixWithoutAxis", v + "matrix:\n  - exclude: [{op: ConvRelu}]\n", "3:5", "the matrix has no axis"},
      {"MatrixAllExcluded", v + "matrix:\n  - {op: ConvRelu, shape: 1x4x6x6, exclude: [{kernel: 3}]}\n", "3:5",
       "keeps no combination"},
      {"MatcherEmpty", v + "matrix:\n  - {op: ConvRelu, shape: 1x4x6x6, where: [{}]}\n", "3:44", "names no field"},
      {"MatcherUnknownField", v + good_case + "limits:\n  - {match: {otype: f16}, max_ulp: 1}\n", "5:14",
       "Did you mean 'dtype'?"},
      {"MatcherBadPattern", v + good_case + "limits:\n  - {match: {case: '('}, max_ulp: 1}\n", "5:20",
       "not a regular expression"},
      {"LimitWithoutMatch", v + good_case + "limits:\n  - {max_ulp: 1}\n", "5:5", "a limit needs 'match'"},
      {"LimitWithoutLimit", v + good_case + "limits:\n  - {match: {op: ConvRelu}}\n", "5:5", "a limit needs tol,"},
      {"TwoLimits", v + good_case + "limits:\n  - {match: {op: ConvRelu}, max_ulp: 1, atol: 1}\n", "5:5",
       "exclude each other"},
      {"NegativeLimit", v + good_case + "limits:\n  - {match: {op: ConvRelu}, rtol: -1}\n", "5:35", "negative"},
      {"UnknownTolerance", v + good_case + "limits:\n  - {match: {op: ConvRelu}, tol: tight}\n", "5:34", "tight"},
      {"LimitMatchesNothing", v + good_case + "limits:\n  - {match: {op: ConvBn}, max_ulp: 1}\n", "5:5",
       "matches no case"},
      {"FailureWithoutOwner",
       v + good_case + "known_failures:\n  - {match: {op: ConvRelu}, reason: r, expires: 2027-01-31}\n", "5:5",
       "needs 'owner'"},
      {"FailureWithoutExpiry", v + good_case + "known_failures:\n  - {match: {op: ConvRelu}, owner: o, reason: r}\n",
       "5:5", "needs 'expires'"},
      {"NoSuchDay",
       v + good_case + "known_failures:\n  - {match: {op: ConvRelu}, owner: o, reason: r, expires: 2027-02-29}\n",
       "5:59", "is not a date"},
      {"DateTheOtherWayRound",
       v + good_case + "known_failures:\n  - {match: {op: ConvRelu}, owner: o, reason: r, expires: 31-01-2027}\n",
       "5:59", "is not a date"},
      {"UnknownModelOfATarget", v + good_case + "targets:\n  a2: {model: ascend-a3}\n", "5:15", "ascend-a3"},
      {"UnknownKeyOfATarget", v + good_case + "targets:\n  a2: {modle: ieee}\n", "5:8", "Did you mean 'model'?"},
      {"TooDeep", v + "name: " + std::string(100, '[') + "a" + std::string(100, ']') + "\n", "2:70",
       "more than 64 levels"},
  };
}

INSTANTIATE_TEST_SUITE_P(All, MalformedSuite, ::testing::ValuesIn(malformed()),
                         [](const auto& test) { return test.param.name; });

TEST(SuiteFile, ThatIsAbsentIsNoVerdict) {
  expect_error(ErrorKind::no_verdict,
               HasSubstr("neither a file that can be read nor a shipped suite (pr, resnet50, smoke, transformer)"),
               [] { read_suite("no/such/suite.yaml"); });
  expect_error(ErrorKind::no_verdict, HasSubstr("Did you mean 'smoke'?"), [] { read_suite("smokes"); });
}

}  // namespace
}  // namespace fusecheck::testing
