// The flat form: flags to a request, the request to a report.
#include <ostream>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/request.hpp"
#include "cli/save.hpp"
#include "fusecheck/error.hpp"
#include "report/report.hpp"

namespace fusecheck::cli {
namespace {

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
  if (line.save) require_new_folder(*line.save);
  kill_kernels_when_ended();
  CheckReport report = check(line.request);
  report.repro = repro_command(line);
  require_answers(report, err);
  const int code = exit_code(report.status);
  const std::string document = line.json || line.save ? report::json_report(report, line.request, code) : "";
  if (line.save) save_case(report, document, *line.save);
  if (line.json) {
    print(out, document);
    err << report::verdict_line(report);
  } else {
    print(out, report::text_report(report, line.request));
  }
  return code;
}

}  // namespace fusecheck::cli
