// JUnit, CSV and Markdown of results that a person wrote.
#include "suite/reports.hpp"

#include <sstream>

#include "suite_run.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

suite::CaseRecord record(std::size_t index, const std::string& status, const std::string& reason) {
  suite::CaseRecord one;
  one.index = index;
  one.id = "ConvRelu/f16,w=f32/x=1x4x6x6/s" + std::to_string(index);
  one.status = status;
  one.reason = reason;
  one.model = "ieee";
  one.limit = "bound";
  if (status != "pass") one.repro = "fusecheck --case '" + one.id + "'";
  one.outputs.push_back({"random", "y", "fused", status, "epilogue", 144, 3, 0, 17, 5, 0.125, 0.5, -0.25, 1});
  return one;
}

suite::ResultFile results(const TempDir& folder, const std::vector<suite::CaseRecord>& records) {
  std::string text =
      suite::to_json(suite::RunHeader{"0.0.0", "s", "ab", records.size(), {}, "", "emulation", ""}) + "\n";
  for (const suite::CaseRecord& one : records) text += suite::to_json(one) + "\n";
  return suite::scan_results(folder.write("r", text));
}

std::string junit(const suite::ResultFile& file) {
  std::ostringstream out;
  suite::write_junit(out, file, {"2026-06-30"});
  return out.str();
}

TEST(Junit, HasATestCaseForEachCase) {
  const TempDir folder;
  const std::string xml =
      junit(results(folder, {record(0, "pass", ""), record(1, "fail", "3 < 4 & \"bad\""), record(2, "error", "crash"),
                             record(3, "skip", "no"), record(4, "weak", "zeros pass"), record(5, "xpass", "passes")}));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"s\" tests=\"6\" failures=\"2\" errors=\"1\" skipped=\"2\">\n"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"ConvRelu.f16\" name=\"ConvRelu/f16,w=f32/x=1x4x6x6/s0\"/>\n"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"fail\" message=\"fail: 3 &lt; 4 &amp; &quot;bad&quot;\">fusecheck --case "
                             "'ConvRelu/f16,w=f32/x=1x4x6x6/s1'</failure>"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"error\" message=\"error: crash\">"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"skip: no\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"weak: zeros pass\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"xpass\""));
}

// 2,001 cases are one group, with 600 failures: 500 are shown, then one that says 100 more.
TEST(Junit, GroupsManyCases) {
  const TempDir folder;
  std::vector<suite::CaseRecord> many;
  for (std::size_t i = 0; i < 2001; ++i) many.push_back(record(i, i < 600 ? "fail" : "pass", i < 600 ? "bad" : ""));
  const std::string xml = junit(results(folder, many));
  std::size_t cases = 0;
  for (std::size_t at = 0; (at = xml.find("<testcase", at)) != std::string::npos; ++at) ++cases;
  EXPECT_EQ(cases, 1U + 500U + 1U);
  EXPECT_THAT(xml, HasSubstr("<property name=\"fail\" value=\"600\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"pass\" value=\"1401\"/>"));
  EXPECT_THAT(xml, HasSubstr("name=\"and 100 more\""));
}

TEST(Csv, HasALineForEachOutput) {
  const TempDir folder;
  std::ostringstream out;
  suite::write_csv(out, results(folder, {record(0, "fail", "a, b")}), {"2026-06-30"});
  EXPECT_THAT(out.str(), HasSubstr("\n\"ConvRelu/f16,w=f32/x=1x4x6x6/s0\",fail,random,y,fused,fail,epilogue,ieee,bound,"
                                   "144,3,0,17,5,0.125,0.5,-0.25,1,\"a, b\"\n"));
}

TEST(Csv, HasAsManyCellsWithoutOutputs) {
  const TempDir folder;
  suite::CaseRecord crashed = record(0, "error", "crash");
  crashed.id = "Add/f32/x=2";
  crashed.outputs.clear();
  std::ostringstream out;
  suite::write_csv(out, results(folder, {crashed}), {"2026-06-30"});
  const std::string text = out.str();
  const std::size_t end = text.find('\n');
  EXPECT_EQ(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), ','),
            std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ','));
}

TEST(Markdown, ShowsAtMostSoManyRows) {
  const TempDir folder;
  std::vector<suite::CaseRecord> many;
  for (std::size_t i = 0; i < 25; ++i) many.push_back(record(i, i < 23 ? "fail" : "pass", i < 23 ? "a|b" : ""));
  std::ostringstream out;
  suite::write_markdown(out, results(folder, many), {"2026-06-30"});
  EXPECT_THAT(out.str(), HasSubstr("pass 2  fail 23 of 25 cases"));
  EXPECT_THAT(out.str(), HasSubstr("| fail | `ConvRelu/f16,w=f32/x=1x4x6x6/s19` | a\\|b |\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("/s20`")));
  EXPECT_THAT(out.str(), HasSubstr("\nand 3 more\n"));
}

}  // namespace
}  // namespace fusecheck::testing
