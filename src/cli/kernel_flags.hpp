// The flags that say how a kernel is run: --exec, --exec-batch, --plugin, --kernel FILE, --timeout, --repeat, --target.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "fusecheck/candidate.hpp"
#include "plugin/contract.hpp"

namespace fusecheck::cli {

// Flags for commands that run a kernel, --target apart.
std::vector<Flag> kernel_flags();

// A kernel to run. Nothing has been started.
struct KernelChoice {
  std::optional<plugin::Contract> contract;
  Candidate candidate = {};  // empty: no kernel was asked for
  std::string name = {};     // of the contract, or the program's or library's
  std::string flags = {};    // that ask for it again, for repro lines: " --kernel kernel.yaml"
};

// Takes these flags out of what was given. A --kernel that is no file (.yaml, .yml, .json, or
// with a slash) stays: it is a size. Usage error: several
// kernels, a contract without one, flags that need a kernel. `target`: a chip of the contract; where a suite may be
// meant, nothing happens if the contract does not have it.
enum class TargetOf { contract, contract_or_suite };
KernelChoice take_kernel(Given& given, const std::string& target, TargetOf of);
// Whether the kernel's contract has a chip of that name.
bool has_target(const KernelChoice& kernel, const std::string& target);

// Lets a contract speak where --op, --body and --dtype are silent. Nothing where a --case says it all.
void complete_flags(const KernelChoice& kernel, Given& given);

}  // namespace fusecheck::cli
