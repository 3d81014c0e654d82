#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/format.hpp"
#include "report/report.hpp"
#include "report/sample_report.hpp"

namespace fusecheck::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The words of the first line that starts with `start`, or none.
std::vector<std::string> words_of_line(const std::string& text, const std::string& start) {
  std::vector<std::string> words;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(start)) continue;
    std::istringstream stream(line);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
  return words;
}

TEST(Numbers, ReadWell) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(ulp_text(9223372036854775807), "inf");
  EXPECT_EQ(short_number(0.00048828125), "0.000488");
  EXPECT_EQ(short_number(1.2345e-7), "1.23e-07");
  EXPECT_EQ(short_number(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(exact_number(0.75146484375), "0.75146484");  // f32 reads it back: 0.75146484375 = 1539 * 2^-11
  EXPECT_EQ(exact_number(0.1), "0.1");                   // no f32; the shortest that reads back to this double
  EXPECT_EQ(exact_number(65504), "65504");
  EXPECT_EQ(percent(0.37), "37 %");
  EXPECT_EQ(percent(0.005), "0.50 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(123.0), ">999 %");
}

TEST(TextReport, EchoesWhatRan) {
  const CheckReport report = testing::sample_report();
  CheckRequest request;
  request.spec = report.spec;
  request.max_diff = 0.5;
  const std::string text = text_report(report, request);
  EXPECT_THAT(text, HasSubstr("ConvRelu  f16 (f32: b)  forward and backward\n"));
  EXPECT_THAT(text, HasSubstr("x=1x2x2x3 w=2x2x3x3 b=2 y=1x2x2x3\n"));
  EXPECT_THAT(text, HasSubstr("kernel 3,3, bias no\n"));
  EXPECT_THAT(text, HasSubstr("epilogue; model ieee (accumulates in f32)\n"));
  EXPECT_THAT(text, HasSubstr("exact, random, seed 1, dy random\n"));
  EXPECT_THAT(text, HasSubstr("bound, fused against unfused at most 0.5\n"));
  EXPECT_THAT(text, HasSubstr("y = relu(conv(x, w) + b)\n"));
}

TEST(TextReport, HasOneLinePerOutputWithTheWorstDataSetAndTheDifference) {
  const std::string text = text_report(testing::sample_report(), {});
  // Used 42 % on random is worse than 0 on exact; the difference of fused and unfused is 0.
  EXPECT_THAT(words_of_line(text, "  dx"),
              ::testing::ElementsAre("dx", "200,704", "0.000488", "1", "1", "42", "%", "9/12.5", "0", "(0)", "unfused",
                                     "on", "random", "pass"));
  EXPECT_THAT(words_of_line(text, "  y"), ::testing::Contains("0.000977"));
}

TEST(TextReport, OfAPassIsShortAndEndsWithTheVerdict) {
  const std::vector<std::string> lines = lines_of(text_report(testing::sample_report(), {}));
  EXPECT_LE(lines.size(), 20U);
  EXPECT_EQ(lines.back(), "PASS  y dx, unfused and fused emulation");
  EXPECT_EQ(lines[lines.size() - 2],
            "no kernel judged: this checked the fused algebra; next: --save DIR, run your kernel, --actual DIR");
}

TEST(TextReport, OfAPrimitiveSaysWhatThereIs) {
  CheckReport report = testing::sample_report();
  report.op = report.spec.op = "relu";
  report.spec.attrs = {};
  for (DataSetReport& set : report.sets) set.attrs = {};
  report.recipe = "unfused";
  const std::string text = text_report(report, {});
  EXPECT_THAT(text, HasSubstr("attributes  none\n"));
  EXPECT_EQ(lines_of(text).back(), "PASS  y dx, unfused emulation");
}

TEST(TextReport, SaysWhatOneDataSetHasOtherwise) {
  CheckReport report = testing::sample_report();
  report.spec.attrs.set("eps", {1e-5});
  for (DataSetReport& set : report.sets) set.attrs.set("eps", {set.set == DataSet::exact ? 0x1p-10 : 1e-5});
  EXPECT_THAT(text_report(report, {}), HasSubstr("eps 1e-05 (exact: 0.0009765625), kernel 3,3"));
}

TEST(TextReport, NamesTheOtherWitnesses) {
  const std::string text = text_report(testing::sample_report(), {});
  EXPECT_THAT(text, HasSubstr("oneDNN      pass y (at most 31 % of the limit)\n"));
  EXPECT_THAT(text, HasSubstr("3.1e-09 relative, recipe against body 0.75 u S (y)\n"));
  EXPECT_THAT(text, HasSubstr("standards   would say: cann-mixed-2026-07 pass, torch pass\n"));
  EXPECT_THAT(text, HasSubstr("smallest relative fault that shows: y 1.5e-05, dx 1.5e-05\n"));
  EXPECT_THAT(text, HasSubstr("1,003 of 200,704 on random (0.50 %)\n"));
}

TEST(TextReport, OfAFailureSaysWhereAndWhatWouldExplainIt) {
  const std::string text = text_report(testing::failing_report(), {});
  EXPECT_THAT(text, HasSubstr("FAIL  y of actual on random: 28,672 of 200,704 elements outside the limit (14 %), 3 of "
                              "them NaN or Inf where the truth is not, or the reverse\n"));
  EXPECT_THAT(text, HasSubstr("every bad element has w in [48,56)\n"));
  EXPECT_THAT(text, HasSubstr("3,584 on the border of the last two axes, 25,088 inside\n"));
  EXPECT_THAT(text, HasSubstr("  worst 2 of 28,672\n"));
  EXPECT_THAT(words_of_line(text, "    [0,5,17,49]"),
              ::testing::ElementsAre("[0,5,17,49]", "1.3632812", "0.75146484", "0.75097656", "0.7519531", "881"));
  EXPECT_THAT(words_of_line(text, "    [0,0,0,48]"), ::testing::ElementsAre("[0,0,0,48]", "nan", "2", "2", "2", "inf"));
  EXPECT_THAT(text, HasSubstr("smallest tolerance that would pass: atol 0.612\n"));
  EXPECT_THAT(words_of_line(text, "  fold"), ::testing::ElementsAre("fold", "12", "--recipe", "fold"));
  EXPECT_THAT(text, HasSubstr("one_pass (lossy)"));
  EXPECT_THAT(text, HasSubstr("torch FAIL (y)"));
}

TEST(TextReport, OfAFailureEndsWithReproAndVerdict) {
  const std::vector<std::string> lines = lines_of(text_report(testing::failing_report(), {}));
  EXPECT_EQ(lines[lines.size() - 2], "repro: fusecheck --case 'ConvRelu/f16/x=1x2x2x3/random' --actual out");
  EXPECT_EQ(lines.back(), "FAIL  y; judged: y, 1 of 2 outputs given");
  EXPECT_LE(lines.size(), 45U);
}

TEST(TextReport, OfAKernelSaysWhatWasGiven) {
  CheckReport report = testing::failing_report();
  report.status = Status::pass;
  for (OutputReport& output : report.sets[0].outputs) output.judgement.status = Status::pass;
  report.sets[0].explained_by = {"epilogue", "fold"};
  const std::string text = text_report(report, {});
  EXPECT_THAT(text, HasSubstr("explained   on random by: epilogue, fold\n"));
  EXPECT_THAT(text, HasSubstr("emulation   pass y dx (at most 42 % of the limit)\n"));
  EXPECT_THAT(text, Not(HasSubstr("no kernel judged")));
  EXPECT_EQ(lines_of(text).back(), "PASS  y, 1 of 2 outputs given");
}

TEST(TextReport, SaysWhatAKernelDidBesidesItsNumbers) {
  CheckReport report = testing::sample_report();
  report.kernel_judged = true;
  report.status = Status::fail;
  report.sets[1].kernel = Status::fail;
  report.sets[1].kernel_message = "writes out of bounds: 4 bytes after the end of y, as far as byte +4";
  const std::string text = text_report(report, {});
  EXPECT_THAT(text,
              HasSubstr("\nFAIL  kernel on random: writes out of bounds: 4 bytes after the end of y, as far as byte "
                        "+4\n"));
  EXPECT_EQ(verdict_line(report), "FAIL  kernel; judged: no output was judged\n");
  report.status = report.sets[1].kernel = Status::skip;
  report.sets[1].kernel_message = "no f32 on this chip";
  EXPECT_EQ(verdict_line(report), "SKIP  the kernel does not support the case: no f32 on this chip\n");
}

TEST(TextReport, OfAWeakCaseSaysWhatWouldPass) {
  CheckReport report = testing::sample_report();
  report.status = Status::weak;
  for (DataSetReport& set : report.sets) {
    for (OutputReport& output : set.outputs) {
      if (output.output != "dx" || output.candidate != "fused") continue;
      output.judgement.status = Status::weak;
      output.judgement.reason = "zeros would pass";
    }
  }
  const std::string text = text_report(report, {});
  EXPECT_THAT(text, HasSubstr("WEAK        dx of fused on random: zeros would pass\n"));
  EXPECT_THAT(lines_of(text).back(), StartsWith("WEAK  nothing proven by dx"));
}

TEST(TextReport, OfADifferenceAboveItsLimitFails) {
  CheckReport report = testing::sample_report();
  report.status = Status::fail;
  report.sets[1].differences[0].within = false;
  const std::string text = text_report(report, {});
  EXPECT_THAT(text, HasSubstr("FAIL (above --max-diff)"));
  EXPECT_THAT(text, HasSubstr("FAIL  y: fused and unfused differ by 0.000977 on random, above --max-diff\n"));
}

TEST(TextReport, OfADisagreeingSelfCheckFails) {
  CheckReport report = testing::sample_report();
  report.status = Status::fail;
  report.sets[1].gradient_check = 2e-08;
  EXPECT_THAT(text_report(report, {}), HasSubstr("central differences by 2e-08 on random, above 1e-08\n"));
}

TEST(TextReport, NamesFilesAsTheDataWhereAllInputsWereGiven) {
  CheckReport report = testing::failing_report();
  report.sets[0].from_files = true;
  CheckRequest request;
  request.inputs["w"] = Tensor(DType::f16, {1});
  request.inputs["x"] = Tensor(DType::f16, {1});
  const std::string text = text_report(report, request);
  EXPECT_THAT(text, HasSubstr("data        from files: w x; seed 1, dy random\n"));
  EXPECT_THAT(text, HasSubstr("FAIL  y of actual on files: "));
  EXPECT_THAT(text, HasSubstr("recipe      any for the kernel, epilogue for the emulation; model ieee"));
}

// A third party that disagrees is as loud as a kernel that does.
TEST(TextReport, OfAFailingThirdPartyHasItsBlock) {
  CheckReport report = testing::sample_report();
  report.status = Status::fail;
  Judgement& j = report.sets[0].outputs.back().judgement;
  j.status = Status::fail;
  j.bad = 7;
  const std::string text = text_report(report, {});
  EXPECT_THAT(text, HasSubstr("oneDNN      FAIL y; pass y"));
  EXPECT_THAT(text, HasSubstr("FAIL  y of onednn on exact: 7 of 200,704 elements outside the limit"));
}

TEST(TextReport, IsAsciiWithoutSpacesAtLineEnds) {
  for (const CheckReport& report : {testing::sample_report(), testing::failing_report()}) {
    const std::string text = text_report(report, {});
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
  }
}

TEST(TextReport, IsTheSameTwice) {
  EXPECT_EQ(text_report(testing::failing_report(), {}), text_report(testing::failing_report(), {}));
}

}  // namespace
}  // namespace fusecheck::report
