// What the golden commands have in common.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "golden/golden_case.hpp"

namespace fusecheck::cli {

// Flags that any command may take, by name.
Flag output_flag();  // -o DIR
Flag threads_flag();
Flag simd_flag();
golden::Execution execution_of(const Given& given);

// The cases that --case (repeatable), --cases FILE (a case line each, # comments), --suite or the flat flags name, one
// data set each. Usage error where there is none.
std::vector<CaseSpec> cases_of(const Given& given);

// The tree a command works on: its one word, or "golden".
std::string tree_of(const Given& given);

// golden export, in a file of its own.
int golden_export(const Words& words, std::ostream& out);

}  // namespace fusecheck::cli
