// From flags to a request that check() can run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/kernel_flags.hpp"
#include "fusecheck/check.hpp"

namespace fusecheck::cli {

// A tensor that a file holds: what --input and --actual name.
struct GivenFile {
  std::string tensor;
  std::string path;
};

struct CommandLine {
  CheckRequest request;
  bool dtype_given = false;  // --dtype names the case's dtype, or --case does
  bool data_given = false;
  std::vector<std::string> inputs, actual;  // values of --input and --actual as given
  std::string kernel_flags;                 // that run the kernel, for the repro line
  std::optional<std::string> save;
  bool json = false;
};

// Values to numbers, names and limits. Usage error: the flag, the value, the rule. Files are not touched.
CommandLine read_command_line(const Given& given, const KernelChoice& kernel = {});

// The command that runs this again, from any folder that holds the same files.
std::string repro_command(const CommandLine& line);

}  // namespace fusecheck::cli
