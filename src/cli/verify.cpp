// The flat form: flags to a request, the request to a report.
#include <ostream>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/request.hpp"
#include "cli/save.hpp"
#include "fusecheck/error.hpp"
#include "report/report.hpp"

namespace fusecheck::cli {
namespace {

// A report that does not reach its reader must not look like a verdict.
void print(std::ostream& out, const std::string& text) {
  out << text << std::flush;
  if (!out) no_verdict_error("the report cannot be written to stdout");
}

}  // namespace

int verify(const Words& words, std::ostream& out, std::ostream& err) {
  CommandLine line = read_command_line(parse_flags(words));
  for (const std::string& note : read_files(line)) err << "fusecheck: note: " << note << "\n";
  if (line.save) require_new_folder(*line.save);
  CheckReport report = check(line.request);
  report.repro = repro_command(line);
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
