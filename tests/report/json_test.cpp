#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "report/report.hpp"
#include "report/sample_report.hpp"

namespace fusecheck::report {
namespace {

using nlohmann::json;

json document_of(const CheckReport& report, int exit) {
  CheckRequest request;
  request.spec = report.spec;
  if (report.kernel_judged) request.kernel = [](const CandidateCase&) { return CandidateOutputs{}; };
  return json::parse(json_report(report, request, exit));
}

TEST(JsonReport, SaysCaseExitAndStatus) {
  const json document = document_of(testing::failing_report(), 1);
  EXPECT_EQ(document["schema"], "fusecheck.result/1");
  EXPECT_EQ(document["case"], "ConvRelu/f16/x=1x2x2x3/kernel=3x3/exact+random");
  EXPECT_EQ(document["exit"], 1);
  EXPECT_EQ(document["status"], "fail");
  EXPECT_EQ(document["kernel_judged"], true);
  EXPECT_EQ(document["limit"], "bound");
  EXPECT_TRUE(document["max_diff"].is_null());
  EXPECT_EQ(document["tensors"]["b"]["dtype"], "f32");
  EXPECT_EQ(document["tensors"]["w"]["shape"], json::parse("[2,2,3,3]"));
}

TEST(JsonReport, HasEachCandidateWithItsOutputs) {
  const json document = document_of(testing::failing_report(), 1);
  ASSERT_EQ(document["data"].size(), 1U);
  const json& candidates = document["data"][0]["candidates"];
  ASSERT_EQ(candidates.size(), 4U);
  EXPECT_EQ(candidates[0]["name"], "unfused");
  EXPECT_EQ(candidates[0]["outputs"].size(), 2U);
  EXPECT_EQ(candidates[3]["name"], "actual");
  const json& y = candidates[3]["outputs"][0];
  EXPECT_EQ(y["name"], "y");
  EXPECT_EQ(y["status"], "fail");
  EXPECT_EQ(y["reason"], "28,672 elements are outside their limit");
  EXPECT_EQ(y["n"], 200704);
  EXPECT_EQ(y["bad"], 28672);
  EXPECT_EQ(y["max_abs"], 0.612);
  EXPECT_EQ(y["max_ulp"], 881);
  EXPECT_EQ(y["limit_ulp"], 1.0);
  EXPECT_EQ(y["rigorous_limit_ulp"], 2.5);
  EXPECT_EQ(y["flips_predicted"], 12.5);
  EXPECT_EQ(y["flips_seen"], true);
  EXPECT_EQ(y["flips_observed"], 9);
  EXPECT_EQ(y["rms"], 0.25);
  EXPECT_EQ(y["mean"], -0.015625);
  EXPECT_EQ(y["recipe"], "epilogue");
  EXPECT_EQ(y["sha256"], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(y["standards"]["torch"], false);
  EXPECT_EQ(y["where"]["lines"][0], "every bad element has w in [48,56)");
  EXPECT_EQ(y["worst"][0]["index"], json::parse("[0,5,17,49]"));
}

TEST(JsonReport, SaysWhatBecameOfTheKernel) {
  CheckReport report = testing::failing_report();
  report.sets[0].kernel = Status::error;
  report.sets[0].kernel_message = "run_kernel was ended by signal 11 (SIGSEGV)";
  report.sets[0].kernel_errors = {"tile 7"};
  const json kernel = document_of(report, 3)["data"][0]["kernel"];
  EXPECT_EQ(kernel["status"], "error");
  EXPECT_EQ(kernel["message"], "run_kernel was ended by signal 11 (SIGSEGV)");
  EXPECT_EQ(kernel["stderr"], json::array({"tile 7"}));
  EXPECT_TRUE(document_of(testing::sample_report(), 0)["data"][0]["kernel"].is_null());
}

TEST(JsonReport, WritesNanAsText) {
  const json document = document_of(testing::failing_report(), 1);
  EXPECT_EQ(document["data"][0]["candidates"][3]["outputs"][0]["worst"][1]["actual"], "nan");
}

TEST(JsonReport, LeavesOutAGradientCheckThatDidNotRun) {
  const json document = document_of(testing::sample_report(), 0);
  EXPECT_TRUE(document["data"][0]["gradient_check"].is_null());
  EXPECT_EQ(document["data"][1]["gradient_check"], 3.1e-09);
}

TEST(JsonReport, SurvivesAPathThatIsNoUtf8) {
  CheckReport report = testing::sample_report();
  report.repro = "fusecheck --actual '\xff'";
  EXPECT_TRUE(document_of(report, 0)["repro"].is_string());
}

// Paths of all fields, with [] for list elements and * for what is named by tensors, attributes or standards.
void collect(const json& value, const std::string& path, std::set<std::string>& fields) {
  static const std::set<std::string> open = {"tensors", "attributes", "standards", "data[].to_body",
                                             "data[].attributes"};
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      const std::string last = path.substr(path.rfind('.') + 1);
      const bool named_by_data = open.contains(last) || open.contains(path);
      const std::string field = path + (path.empty() ? "" : ".") + (named_by_data ? "*" : name);
      fields.insert(field);
      collect(inner, field, fields);
    }
  } else if (value.is_array()) {
    for (const json& inner : value) collect(inner, path + "[]", fields);
  }
}

TEST(JsonDocument, DescribesEveryFieldAndNoOther) {
  std::set<std::string> fields, described;
  collect(document_of(testing::sample_report(), 0), "", fields);
  collect(document_of(testing::failing_report(), 1), "", fields);
  std::ifstream file(std::string(FUSECHECK_SOURCE_DIR) + "/docs/json.md");
  ASSERT_TRUE(file.good());
  // A row of a table: | `field` | type | meaning |
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) described.insert(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(fields, described);
}

}  // namespace
}  // namespace fusecheck::report
