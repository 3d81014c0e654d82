// Runs a program as a user would, and gives what it printed and how it ended.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace fusecheck::testing {

struct CommandResult {
  int exit_code = 0;  // 128 + the signal's number where a signal ended it, as shells count
  std::string out, err;
};

// arguments[0] is the program (a path, or a name in PATH). No shell in between; stdin is empty.
// `folder`: the working directory, this program's own when empty. The environment is this program's own without CI:
// that variable refuses to accept golden data, and a test must not depend on who runs it (`env CI=true ...` sets it
// again). Throws std::runtime_error where it cannot be started.
CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder = "");

// The same for the fusecheck that this build made.
CommandResult run_fusecheck(std::vector<std::string> arguments, const std::string& folder = "");

// Starts that fusecheck and does not wait: what it prints is dropped. Its process id, for kill and waitpid.
pid_t start_fusecheck(std::vector<std::string> arguments);

}  // namespace fusecheck::testing
