#include <algorithm>
#include <ostream>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "fusecheck/error.hpp"
#include "plugin/worker.hpp"

namespace fusecheck::cli {
namespace {

Words rest(const Words& words) { return Words(words.begin() + 1, words.end()); }

void require_no_words(const Words& words) {
  if (words.size() > 1) usage_error(words[0] + " takes nothing behind it, got " + base::quoted(words[1]));
}

int show(std::ostream& out, const std::string& text) {
  print(out, text);
  return 0;
}

}  // namespace

void print(std::ostream& out, const std::string& text) {
  out << text << std::flush;
  if (!out) no_verdict_error("stdout cannot be written");
}

int run(const Words& words, std::ostream& out, std::ostream& err) {
  if (words.empty()) {
    err << help_text();
    return 2;
  }
  const std::string& first = words[0];
  const auto asks = [&](const char* flag) { return std::find(words.begin(), words.end(), flag) != words.end(); };
  if (first == "help" && words.size() > 1 && words[1] == "flags") return show(out, flags_text());
  if (first == "run" && (asks("--help") || asks("-h"))) return show(out, run_help());
  if (first == "merge" && (asks("--help") || asks("-h"))) return show(out, merge_help());
  if (first == "gate" && (asks("--help") || asks("-h"))) return show(out, gate_help());
  if (first == "golden" && (asks("--help") || asks("-h"))) return show(out, golden_help());
  if (first == "compare" && (asks("--help") || asks("-h"))) return show(out, compare_help());
  if (first == "help" || asks("--help") || asks("-h")) return show(out, help_text());
  if (first == "version" || first == "--version") {
    require_no_words(words);
    return show(out, version_text());
  }
  if (first.starts_with("-")) return verify(words, out, err);
  if (first == "list") return show(out, list(rest(words)));
  if (first == "explain") return show(out, explain(rest(words)));
  if (first == "run") return run_suite(rest(words), out, err);
  if (first == "merge") return merge(rest(words), out, err);
  if (first == "gate") return gate(rest(words), out, err);
  if (first == plugin::worker_command && words.size() == 2) return plugin::run_worker(words[1]);
  if (first == "golden") return golden(rest(words), out, err);
  if (first == "compare") return compare(rest(words), out, err);
  if (first == "report") {
    usage_error(base::quoted(first) + " is not in this version; to judge a kernel: --save DIR, then --actual DIR");
  }
  if (first == "ops" || first == "models" || first == "tols" || first == "recipes") {
    usage_error("unknown command " + base::quoted(first) + "; say 'fusecheck list " + first + "'");
  }
  const std::string hint =
      base::hint(first, {"list", "explain", "run", "merge", "gate", "golden", "compare", "version", "help"});
  usage_error("unknown command " + base::quoted(first) +
              (hint.empty() ? "; flags start with --, 'fusecheck help' shows all" : hint));
}

}  // namespace fusecheck::cli
