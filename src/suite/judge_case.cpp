// From one case to its record.
#include <algorithm>
#include <new>

#include "base/text.hpp"
#include "fusecheck/check.hpp"
#include "fusecheck/error.hpp"
#include "suite/run.hpp"

namespace fusecheck::suite {
namespace {

OutputRecord output_record(const DataSetReport& set, const OutputReport& output) {
  const Judgement& j = output.judgement;
  OutputRecord one;
  one.set = name_of(set.set);
  one.output = output.output;
  one.candidate = output.candidate;
  one.status = name_of(j.status);
  one.recipe = output.recipe;
  one.n = j.n;
  one.bad = j.bad;
  one.nonfinite = j.nonfinite_mismatch;
  one.max_ulp = j.max_ulp;
  one.flips = j.flips_observed;
  one.max_abs = j.max_abs;
  one.used = j.used;
  one.mean_ulp = j.mean_ulp;
  one.rms = j.rms;
  return one;
}

// The worst output of the report, in words: "dx of fused on random: 36 of 784 elements outside ...".
void take_reason(CaseRecord& record, const CheckReport& report) {
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& output : set.outputs) {
      if (output.judgement.status != report.status || !record.reason.empty()) continue;
      record.reason =
          output.output + " of " + output.candidate + " on " + name_of(set.set) + ": " + output.judgement.reason;
    }
    for (const Difference& difference : set.differences) {
      if (difference.within || !record.reason.empty()) continue;
      record.reason = difference.output + " on " + name_of(set.set) + ": fused and unfused differ by " +
                      base::number_text(difference.max_abs) + ", above max_diff";
    }
    if (set.gradient_check > 1e-8 && record.reason.empty()) {
      record.reason = "gradients and central differences disagree by " + base::number_text(set.gradient_check);
    }
  }
}

void take(CaseRecord& record, const CheckReport& report) {
  const std::string main = report.kernel_judged ? "actual" : "fused";
  for (const DataSetReport& set : report.sets) {
    for (const OutputReport& output : set.outputs) {
      if (output.candidate == main || output.judgement.status != Status::pass) {
        record.outputs.push_back(output_record(set, output));
      }
    }
  }
  if (report.status != Status::pass) take_reason(record, report);
}

// What the kernel did besides its numbers: it may have crashed, refused, or done what no kernel may do.
Status take_kernel(CaseRecord& record, const CheckReport& report) {
  Status status = report.status;
  for (const DataSetReport& set : report.sets) {
    if (set.kernel == Status::skip && status != Status::fail && status != Status::error) {
      record.outputs.clear();
      record.reason = set.kernel_message.empty() ? "the kernel does not support it" : set.kernel_message;
      return Status::skip;
    }
    if (set.kernel != status || (status != Status::fail && status != Status::error)) continue;
    record.reason = set.kernel_message;
    if (status == Status::fail) return status;
    if (!set.kernel_errors.empty()) record.reason += "; it last said: " + set.kernel_errors.back();
    no_verdict_error(record.reason);
  }
  return status;
}

// Saved tensors are read where the backward runs alone.
std::vector<std::string> kernel_reads(const RunRequest& request, const CaseSpec& spec) {
  return spec.passes == Passes::backward ? request.kernel_reads : std::vector<std::string>();
}

// NaN and line breaks of a message must not break the line.
void take_error(CaseRecord& record, const std::string& kind, const std::string& message) {
  record.status = "error";
  record.kind = kind;
  record.reason = message;
  std::replace(record.reason.begin(), record.reason.end(), '\n', ' ');
  record.outputs.clear();
}

std::string repro_line(const SuiteCase& one, const SuiteLimit& limit, const std::string& kernel_flags) {
  std::string command = "fusecheck --case '" + one.id + "'" + kernel_flags;
  if (limit.tolerance != Tolerance{}) command += " --tol " + to_text(limit.tolerance);
  if (limit.max_diff) command += " --max-diff " + base::number_text(*limit.max_diff);
  return command;
}

void apply_known_failure(CaseRecord& record, const KnownFailure& known) {
  record.known_failure = known;
  const bool failed = record.status == "fail" || (record.status == "error" && record.kind == "no_verdict");
  if (failed) record.status = "xfail";
  if (record.status == "pass") {
    record.status = "xpass";
    record.reason = "known to fail (" + known.reason + "), and passes: remove it from known_failures";
  }
}

}  // namespace

CaseRecord judge_case(const RunRequest& request, std::size_t index) {
  const SuiteCase& one = request.suite.cases[request.selected[index]];
  const SuiteLimit& limit = request.suite.limits[one.limit];
  CaseRecord record;
  record.index = index;
  record.id = one.id;
  record.limit = to_text(limit.tolerance);
  if (limit.max_diff) record.limit += " max_diff " + base::number_text(*limit.max_diff);
  try {
    CheckRequest check_request;
    check_request.spec = parse_case(one.id);
    check_request.judge.tolerance = limit.tolerance;
    check_request.judge.top = 1;
    check_request.judge.standards = false;
    check_request.max_diff = limit.max_diff;
    check_request.simd = request.simd;
    check_request.digests = false;  // no record holds any
    if (const auto why = request.unsupported ? request.unsupported(check_request.spec) : std::nullopt) {
      record.status = "skip";
      record.reason = *why;
      record.repro = repro_line(one, limit, request.kernel_flags);
      return record;
    }
    if (request.declare) request.declare(check_request.spec);
    record.model = to_text(check_request.spec.model);
    check_request.kernel = request.candidate;
    check_request.kernel_reads = kernel_reads(request, check_request.spec);
    const CheckReport report = check(check_request);
    take(record, report);
    record.status = name_of(request.candidate ? take_kernel(record, report) : report.status);
  } catch (const Error& error) {
    const ErrorKind kind = error.kind();
    take_error(record,
               kind == ErrorKind::usage        ? "usage"
               : kind == ErrorKind::no_verdict ? "no_verdict"
                                               : "internal",
               error.what());
  } catch (const std::bad_alloc&) {
    take_error(record, "no_verdict", "out of memory; run it alone, or with fewer --jobs");
  } catch (const std::exception& error) {
    take_error(record, "internal", error.what());
  }
  if (one.known_failure) apply_known_failure(record, request.suite.known_failures[*one.known_failure]);
  if (record.status != "pass") record.repro = repro_line(one, limit, request.kernel_flags);
  return record;
}

}  // namespace fusecheck::suite
