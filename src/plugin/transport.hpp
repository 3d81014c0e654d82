// How a case folder reaches a kernel: a command for each case, or a process that takes one after another.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fusecheck/candidate.hpp"
#include "plugin/case_folder.hpp"
#include "plugin/compare_runs.hpp"
#include "plugin/poison.hpp"
#include "plugin/temp_folder.hpp"

namespace fusecheck::plugin {

struct TransportEnd {
  CandidateOutputs::Outcome outcome = CandidateOutputs::Outcome::ran;  // ran: the outputs are said to be there
  std::string message = {};
  std::vector<std::string> error_lines = {};  // the last 20 lines of stderr, where it failed
};

// The last case that a process ran, kept to run it again after the next one.
struct EarlierCase {
  TempFolder root;
  CaseFolder folder;
  Run run;
};

// Something that runs one case after another. Not for two threads at once.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;
  // `poison`: what the outputs hold, and what the memory that the kernel allocates is to be filled with.
  virtual TransportEnd run(const CaseFolder& folder, Poison poison) = 0;
  virtual bool usable() const { return true; }  // false: its process is gone

  std::unique_ptr<EarlierCase> earlier;
};

// May be used from several threads.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;
  virtual std::unique_ptr<Session> take() = 0;
  virtual void give_back(std::unique_ptr<Session> session) = 0;
  virtual bool keeps_process() const = 0;  // one process runs many cases
};

// A process for each case. `words`: see arguments.hpp; {dir} and {case} are filled in, and FUSECHECK_CASE_DIR is the
// folder. Exit code 0: ran, 77: unsupported, anything else: failed.
std::shared_ptr<Transport> command_for_each_case(std::vector<std::string> words, double seconds);

// A process for many cases: it reads a folder's path from each line of stdin and answers, on stdout, "done PATH",
// "unsupported PATH WHY" or "failed PATH WHY"; other lines are its log. One that ends or falls silent fails its case,
// and the next case gets a new process.
std::shared_ptr<Transport> command_for_many_cases(std::vector<std::string> words, double seconds);

// The same with a worker of our own that loads `library` (worker.hpp).
std::shared_ptr<Transport> plugin_library(const std::filesystem::path& library, double seconds);

}  // namespace fusecheck::plugin
