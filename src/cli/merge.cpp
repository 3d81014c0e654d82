// fusecheck merge RESULTS... -o FILE
#include <ostream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/results_output.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::cli {
namespace {

const std::vector<Flag>& merge_flags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> list = {
        {"--output", "FILE", false, false, "Results", "the results as one run would write them", "-o"}};
    for (const Flag& flag : results_flags()) list.push_back(flag);
    return list;
  }();
  return flags;
}

}  // namespace

std::string merge_help() {
  return "fusecheck merge RESULTS... -o FILE    the shards of a run as one file; exit 3 unless all are there\n\n" +
         flags_text(merge_flags());
}

int merge(const Words& words, std::ostream& out, std::ostream&) {
  const Given given = parse_flags(words, {"merge", merge_flags(), 1'000'000, "the results of all shards"});
  if (given.words().empty())
    usage_error("merge takes the results of all shards: fusecheck merge a.jsonl b.jsonl -o all.jsonl");
  if (!given.has("--output")) usage_error("merge needs --output FILE, for the merged results");
  const std::string today = read_today(given);
  suite::merge_results(given.words(), given.one("--output"));
  const suite::ResultFile file = suite::scan_results(given.one("--output"));
  write_reports(given, file, today);
  return print_results(out, given, file, today, file.header.cases, true);
}

}  // namespace fusecheck::cli
