// What the golden commands have in common.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "golden/golden_case.hpp"
#include "golden/make.hpp"

namespace fusecheck::cli {

// Flags that any command may take, by name.
Flag output_flag();  // -o DIR
Flag threads_flag();
Flag simd_flag();
golden::Execution execution_of(const Given& given);

// The requests for the cases that --case (repeatable), --cases FILE (a case line each, # comments), --suite or the flat
// flags name, one data set each, with the limits of the suite, or of --tol and --max-diff for all, and the tensors of
// --input. Usage error where there is none.
std::vector<golden::MakeRequest> cases_of(const Given& given);
std::vector<Flag> limit_and_input_flags();  // --tol, --max-diff, --input

// The tree a command works on: its one word, or "golden".
std::string tree_of(const Given& given);

// golden export, in a file of its own.
int golden_export(const Words& words, std::ostream& out);

}  // namespace fusecheck::cli
