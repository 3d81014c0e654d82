// A report written by hand: every number below is chosen, none is computed.
#pragma once

#include <limits>

#include "fusecheck/check.hpp"

namespace fusecheck::testing {

inline OutputReport sample_output(const std::string& candidate, const std::string& name, std::int64_t n, double used) {
  OutputReport output;
  output.candidate = candidate;
  output.output = name;
  output.dtype = DType::f16;
  output.shape = {1, 2, 2, 3};
  output.recipe = candidate == "unfused" ? "unfused" : "epilogue";
  output.sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  Judgement& j = output.judgement;
  j.n = n;
  j.max_abs = 0.0004882812;
  j.max_ulp = 1;
  j.limit_ulp = 1;
  j.rigorous_limit_ulp = 2.5;
  j.used = used;
  j.flips_predicted = 12.5;
  j.flips_seen = true;
  j.flips_observed = 9;
  j.rms = 0.25;
  j.mean = -0.015625;
  j.groups = 128;
  j.statistics_judged = true;
  j.smallest_visible = 1.5e-05;
  j.standards = {{"cann-mixed-2026-07", true}, {"torch", true}};
  return output;
}

// ConvRelu on two data sets, unfused and fused, y and dx; all pass.
inline CheckReport sample_report() {
  CheckReport report;
  report.spec.op = "ConvRelu";
  report.spec.shapes = {{"x", {1, 2, 2, 3}}};
  report.spec.data = {DataSet::exact, DataSet::random};
  report.spec.attrs.set("kernel", {3, 3});
  report.op = "ConvRelu";
  report.formula = "y = relu(conv(x, w) + b)";
  report.recipe = "epilogue";
  report.shapes = {{"x", {1, 2, 2, 3}}, {"w", {2, 2, 3, 3}}, {"y", {1, 2, 2, 3}}, {"b", {2}}, {"db", {2}}};
  report.dtypes = {{"x", DType::f16}, {"w", DType::f16}, {"y", DType::f16}, {"b", DType::f32}, {"db", DType::f32}};
  for (const DataSet which : report.spec.data) {
    DataSetReport set;
    set.set = which;
    set.attrs = report.spec.attrs;
    for (const char* candidate : {"unfused", "fused"}) {
      set.outputs.push_back(sample_output(candidate, "y", 200704, which == DataSet::random ? 0.37 : 0));
      set.outputs.push_back(sample_output(candidate, "dx", 200704, which == DataSet::random ? 0.42 : 0));
    }
    set.outputs.push_back(sample_output("onednn", "y", 200704, 0.31));
    set.differences = {{"y", 0.0009765625, 2, true}, {"dx", 0, 0, true}};
    set.to_body = {{"y", 0.75}};
    report.sets.push_back(set);
  }
  report.sets[1].gradient_check = 3.1e-09;
  report.sets[1].kinks_zeroed = 1003;
  report.sets[1].kinks_total = 200704;
  report.repro = "fusecheck --case 'ConvRelu/f16/x=1x2x2x3'";
  return report;
}

// The user's y on random data: 28,672 elements outside, in the last columns.
inline CheckReport failing_report() {
  CheckReport report = sample_report();
  report.sets.erase(report.sets.begin());
  report.kernel_judged = true;
  report.status = Status::fail;
  OutputReport actual = sample_output("actual", "y", 200704, 640);
  Judgement& j = actual.judgement;
  j.status = Status::fail;
  j.reason = "28,672 elements are outside their limit";
  j.bad = 28672;
  j.nonfinite_mismatch = 3;
  j.max_abs = 0.612;
  j.max_ulp = 881;
  j.smallest_atol = 0.612;
  j.standards = {{"cann-mixed-2026-07", false}, {"torch", false}};
  j.where.lines = {"every bad element has w in [48,56)"};
  j.where.per_axis = {{28672}, {14336, 14336}};
  j.where.border = 3584;
  j.where.interior = 25088;
  j.worst = {{{0, 5, 17, 49}, 1.36328125, 0.75146484375, 0.7509765625, 0.751953125, 881},
             {{0, 0, 0, 48},
              std::numeric_limits<double>::quiet_NaN(),
              2.0,
              2.0,
              2.0,
              std::numeric_limits<std::int64_t>::max()}};
  report.sets[0].outputs.push_back(actual);
  report.sets[0].nearest = {{"fold", "--recipe fold", 12, false}, {"one_pass", "--recipe one_pass", 4000, true}};
  report.repro = "fusecheck --case 'ConvRelu/f16/x=1x2x2x3/random' --actual out";
  return report;
}

}  // namespace fusecheck::testing
