// Which baseline a gate compares with.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.hpp"

namespace fusecheck::cli {

// --baseline, --kernel, --suite.
std::vector<Flag> baseline_flags();

// The file of --baseline; or what targets.CHIP.baseline of the contract or suite names, relative to that file, CHIP
// being the target with which `results` were made. Usage error: none or several of the flags, results without a target,
// a target without a baseline.
std::string baseline_of(const Given& given, const std::string& results);

}  // namespace fusecheck::cli
