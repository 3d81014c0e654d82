// Every fused op x type x mode x recipe (lossy ones too) x bias x geometry through the whole pipeline: all pass, oneDNN
// too, and nothing is weak but what the op itself declares (structural_test.cpp proves those reasons).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance_cases.hpp"
#include "fusecheck/check.hpp"

namespace fusecheck {
namespace {

using testing::OpAndType;

struct Geometry {
  std::string name;
  Shape x;
  std::vector<std::pair<std::string, std::vector<double>>> attrs;
};

const std::vector<Geometry>& geometries() {
  static const std::vector<Geometry> all = {
      {"default", {1, 16, 14, 14}, {}},
      {"odd sizes", {2, 17, 13, 11}, {{"oc", {20}}, {"kernel", {3, 5}}, {"stride", {2, 1}}, {"pad", {0, 1, 2, 1}}}},
      {"groups", {2, 8, 9, 9}, {{"groups", {4}}}},
      {"dilation", {1, 8, 11, 12}, {{"dilation", {2, 1}}}},
      {"depthwise", {1, 8, 10, 10}, {{"groups", {8}}}},
      {"1x1", {1, 16, 10, 10}, {{"kernel", {1}}}},
      {"small", {2, 3, 5, 7}, {{"oc", {16}}}},
  };
  return all;
}

// For ops without a convolution: images, rows no multiple of 16, one long row.
const std::vector<Geometry>& shapes() {
  static const std::vector<Geometry> all = {
      {"image", {2, 17, 8, 7}, {}}, {"rows", {3, 5, 31}, {}}, {"matrix", {33, 258}, {}}};
  return all;
}

bool has_convolution(const OpDef& op) {
  const std::vector<AttrSpec> attrs = graph::interface_of(op).attrs;
  const auto has = [&](const char* name) {
    return std::any_of(attrs.begin(), attrs.end(), [&](const AttrSpec& attr) { return attr.name == name; });
  };
  return has("oc") && has("kernel") && has("stride") && has("pad") && has("dilation") && has("groups");
}

// Each of an op's convolutions has the same geometry: kernel2, pad3 ... beside kernel and pad.
void set_geometry(CaseSpec& spec, const OpDef& op, const Geometry& geometry) {
  for (const AttrSpec& attr : graph::interface_of(op).attrs) {
    for (const auto& [name, value] : geometry.attrs) {
      if (attr.name == name || attr.name == name + "2" || attr.name == name + "3") spec.attrs.set(attr.name, value);
    }
  }
}

// Every recipe of the op as a case, and the unfused run beside each.
std::vector<CaseSpec> cases_of(const OpAndType& subject, const Geometry& geometry) {
  std::vector<CaseSpec> cases;
  for (const Recipe& recipe : subject.op->recipes) {
    for (const bool bias : {false, true}) {
      CaseSpec spec;
      spec.op = subject.op->name;
      spec.dtype = subject.dtype;
      set_geometry(spec, *subject.op, geometry);
      if (recipe.training) spec.attrs.set("bn", {1});
      testing::set_shape(spec, *subject.op, geometry.x);
      spec.bias = bias;
      spec.recipe = recipe.name;
      cases.push_back(std::move(spec));
    }
  }
  return cases;
}

void expect_pass(const CaseSpec& spec, bool convolution) {
  CheckRequest request;
  request.spec = spec;
  const CheckReport report = check(request);
  EXPECT_EQ(name_of(report.status), "pass") << report.repro;
  ASSERT_EQ(report.sets.size(), 3U);
  for (const DataSetReport& set : report.sets) {
    int third_party = 0;
    for (const OutputReport& row : set.outputs) {
      const Judgement& judgement = row.judgement;
      third_party += row.candidate == "onednn" ? 1 : 0;
      EXPECT_EQ(name_of(judgement.status), "pass")
          << row.candidate << " " << row.output << " on " << name_of(set.set) << ": " << judgement.reason << ", "
          << judgement.bad << " of " << judgement.n << " outside, used " << judgement.used << "\n  " << report.repro;
    }
    EXPECT_GE(third_party, convolution ? 3 : 0) << "conv, dx and dw must meet oneDNN: " << report.repro;
    EXPECT_LE(set.gradient_check, 1e-8) << report.repro;  // J13
    if (set.set == DataSet::random) {                     // where the reference is held against itself
      EXPECT_GE(set.gradient_check, 0) << report.repro;
      EXPECT_FALSE(set.to_body.empty()) << report.repro;
    }
  }
}

class Matrix : public ::testing::TestWithParam<OpAndType> {};

TEST_P(Matrix, EveryRecipeAndGeometryPasses) {
  const bool convolution = has_convolution(*GetParam().op);
  for (const Geometry& geometry : convolution ? geometries() : shapes()) {
    SCOPED_TRACE(geometry.name);
    for (const CaseSpec& spec : cases_of(GetParam(), geometry)) expect_pass(spec, convolution);
  }
}

INSTANTIATE_TEST_SUITE_P(Fused, Matrix, ::testing::ValuesIn(testing::ops_by_type(true)), testing::case_name);

}  // namespace
}  // namespace fusecheck
