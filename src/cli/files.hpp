// Reads the tensors that --input and --actual name, and lets their headers complete the case.
#pragma once

#include <string>
#include <vector>

#include "cli/request.hpp"

namespace fusecheck::cli {

// Fills line.request.inputs and .actual. Shapes, the case's dtype, oc and kernel come from the headers where no flag
// says otherwise; a flag that contradicts one is a usage error naming both. Returns notes: files that were not used.
std::vector<std::string> read_files(CommandLine& line);

}  // namespace fusecheck::cli
