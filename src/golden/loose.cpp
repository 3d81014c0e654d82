#include "golden/loose.hpp"

#include "fusecheck/error.hpp"

namespace fusecheck::golden {

CheckReport compare_loose(const std::string& name, const Tensor& actual, const Tensor& golden,
                          const JudgeOptions& options) {
  if (options.tolerance.name == Tolerance{}.name) {
    usage_error(
        "two files without a case.json have no bound (it follows from the case): name a standard with --tol, as "
        "in --tol ulp:2, or compare with a golden case; 'fusecheck list tols' shows all");
  }
  if (actual.dtype() != golden.dtype()) {
    usage_error("the actual file holds " + std::string(name_of(actual.dtype())) + ", the golden one " +
                std::string(name_of(golden.dtype())) + "; convert one");
  }
  if (actual.shape() != golden.shape()) {
    usage_error("the actual file holds " + to_text(actual.shape()) + ", the golden one " + to_text(golden.shape()) +
                "; if it is another layout, say so with --layout");
  }
  Expected expected;
  expected.shape = golden.shape();
  expected.dtype = golden.dtype();
  expected.truth = golden.doubles();
  expected.low = expected.truth;
  expected.high = expected.truth;
  CheckReport report;
  report.kernel_judged = true;
  DataSetReport& set = report.sets.emplace_back();
  set.from_files = true;
  OutputReport& output = set.outputs.emplace_back();
  output.candidate = "actual";
  output.output = name;
  output.dtype = golden.dtype();
  output.shape = golden.shape();
  output.sha256 = sha256(actual);
  output.judgement = judge(expected, actual.doubles(), options);
  // J11: a limit that zeros would meet proves nothing.
  const std::vector<Impostor> zeros = {{"zeros", std::vector<double>(expected.truth.size(), 0)}};
  if (output.judgement.status == Status::pass && !passing_impostors(expected, zeros, options).empty()) {
    output.judgement.status = Status::weak;
    output.judgement.reason = "zeros would pass";
  }
  report.status = output.judgement.status;
  return report;
}

}  // namespace fusecheck::golden
