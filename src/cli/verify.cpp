// The flat form: flags to a request, the request to a report.
#include <unistd.h>

#include <cmath>
#include <ostream>

#include "check/case_info.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/request.hpp"
#include "cli/save.hpp"
#include "fusecheck/error.hpp"
#include "report/report.hpp"

namespace fusecheck::cli {
namespace {

// Measured on ConvBnRelu of 0.2 to 6.4 million elements of x: 110 to 130 bytes for each element of all tensors.
constexpr double bytes_per_element = 100;

// Better one line now than the kernel's killer later. A case that does not fit here may fit elsewhere: no verdict.
void require_memory(const CaseSpec& spec) {
  double elements = 0;
  for (const auto& [name, shape] : case_info(spec).shapes) elements += static_cast<double>(element_count(shape));
  const double here = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double needed = elements * bytes_per_element;
  if (needed <= here) return;
  const auto gigabytes = [](double bytes) { return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / 1e9))); };
  no_verdict_error("the case needs about " + gigabytes(needed) + " GB, this machine has " + gigabytes(here) +
                   " GB; use a smaller --shape");
}

// A kernel that gave no answer leaves no verdict, unless what it gave elsewhere has failed.
void require_answers(const CheckReport& report, std::ostream& err) {
  if (report.status != Status::error) return;
  for (const DataSetReport& set : report.sets) {
    if (set.kernel != Status::error) continue;
    for (const std::string& line : set.kernel_errors) err << "kernel: " << line << "\n";
    no_verdict_error("on " + name_of(set.set) + " " + set.kernel_message + "; repro: " + report.repro);
  }
}

}  // namespace

int verify(const Words& words, std::ostream& out, std::ostream& err) {
  Given given = parse_flags(words);
  const KernelChoice kernel =
      take_kernel(given, given.has("--target") ? given.one("--target") : "", TargetOf::contract);
  complete_flags(kernel, given);
  CommandLine line = read_command_line(given, kernel);
  for (const std::string& note : read_files(line)) err << "fusecheck: note: " << note << "\n";
  require_memory(line.request.spec);
  if (line.save) require_new_folder(*line.save);
  CheckReport report = check(line.request);
  report.repro = repro_command(line);
  require_answers(report, err);
  const int code = exit_code(report.status);
  if (line.save) save_tensors(report, *line.save);
  if (line.json) {
    print(out, report::json_report(report, line.request, code));
    err << report::verdict_line(report);
  } else {
    print(out, report::text_report(report, line.request));
  }
  return code;
}

}  // namespace fusecheck::cli
