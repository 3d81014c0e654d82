// A CheckReport as text for people and as JSON for programs. Pure functions: same report, same bytes; no dates, no
// times.
#pragma once

#include <string>

#include "fusecheck/check.hpp"

namespace fusecheck::report {

// Header, verdict table, what was judged and how; a block per failing output; the last line is the verdict (J14).
// `request` supplies what the report does not repeat: the limit, the given tensors, --max-diff.
std::string text_report(const CheckReport& report, const CheckRequest& request);

// The last line of text_report: "PASS  y, 1 of 5 outputs given".
std::string verdict_line(const CheckReport& report);

// One document "fusecheck.result/1" (docs/json.md), indented, with a newline at the end. `exit` is the process's exit
// code.
std::string json_report(const CheckReport& report, const CheckRequest& request, int exit);
// The same document as one line, for JSONL; and what stands in its place for a case that has no report:
// {"schema", "version", "case", "exit", "status": "error", "error"}.
std::string json_line(const CheckReport& report, const CheckRequest& request, int exit);
std::string json_error_line(const std::string& case_line, int exit, const std::string& error);

}  // namespace fusecheck::report
