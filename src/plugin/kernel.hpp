// A candidate from a transport: writes the case, runs the kernel as often as asked, and compares what it gave.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fusecheck/candidate.hpp"
#include "plugin/case_folder.hpp"
#include "plugin/transport.hpp"

namespace fusecheck::plugin {

struct KernelRules {
  std::map<std::string, FileRule> files = {};  // by tensor
  std::vector<std::string> outputs = {};       // that it gives; empty: all that the case asks for
  int repeat = 1;                              // runs of each case, with what memory holds before it changing
};

// Rejects a kernel that modifies an input, leaves an element or a padding lane unwritten, or gives other bits in
// another run; where one process runs many cases and each is repeated, also one that gives other bits after another
// case. Fails where there is no answer, an output is missing or nothing of it was written.
Candidate make_candidate(std::shared_ptr<Transport> transport, KernelRules rules);

}  // namespace fusecheck::plugin
