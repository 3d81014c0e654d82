#include "cli/kernel_flags.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "plugin/arguments.hpp"
#include "plugin/kernel.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;

constexpr double usual_timeout = 60;  // seconds
constexpr double longest_timeout = 1e6;
constexpr std::int64_t most_runs = 1000;

bool is_file(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml") ||
         text.ends_with(".json");
}

// The contract among the values of --kernel; sizes stay where they are.
std::optional<std::string> take_contract(Given& given) {
  std::vector<std::string> sizes, files;
  for (const std::string& value : given.all("--kernel")) (is_file(value) ? files : sizes).push_back(value);
  if (files.empty()) return std::nullopt;
  if (files.size() > 1) {
    usage_error("--kernel is given 2 contracts: " + base::quoted(files[0]) + " and " + base::quoted(files[1]) +
                "; give one");
  }
  given.remove("--kernel");
  if (!sizes.empty()) given.add("--kernel", sizes);
  return files[0];
}

double read_timeout(const Given& given, const std::optional<plugin::Contract>& contract) {
  if (!given.has("--timeout")) return contract ? contract->timeout.value_or(usual_timeout) : usual_timeout;
  const double seconds = base::parse_number(given.one("--timeout"), "--timeout");
  if (!(seconds > 0 && seconds <= longest_timeout)) {
    usage_error("--timeout " + given.one("--timeout") + " is outside 0..1e6 seconds");
  }
  return seconds;
}

int read_repeat(const Given& given, const std::optional<plugin::Contract>& contract, int usual) {
  if (!given.has("--repeat")) return contract ? contract->repeat.value_or(usual) : usual;
  const std::int64_t runs = base::parse_integer(given.one("--repeat"), "--repeat");
  if (runs < 1 || runs > most_runs) usage_error("--repeat " + given.one("--repeat") + " is outside 1..1000");
  return static_cast<int>(runs);
}

// A program or a file that a contract names lies beside it; {here} is the contract's folder.
std::vector<std::string> words_of(const std::string& text, const std::string& what, const plugin::Contract* contract) {
  std::vector<std::string> words = plugin::split_command(text, what);
  if (contract == nullptr) return words;
  const fs::path folder = fs::absolute(fs::path(contract->source)).parent_path();
  for (std::string& word : words) {
    for (std::size_t at = word.find("{here}"); at != std::string::npos; at = word.find("{here}")) {
      word.replace(at, 6, folder.string());
    }
  }
  if (words[0].find('/') != std::string::npos) words[0] = (folder / words[0]).lexically_normal().string();
  return words;
}

}  // namespace

std::vector<Flag> kernel_flags() {
  std::vector<Flag> flags = {{"--kernel", "FILE", false, false, "Kernel", "your kernel's contract (docs/kernels.md)"}};
  for (Flag flag : all_flags()) {
    const std::string& name = flag.name;
    const bool runs =
        name == "--exec" || name == "--exec-batch" || name == "--plugin" || name == "--timeout" || name == "--repeat";
    if (!runs) continue;
    flag.group = "Kernel";
    flags.push_back(std::move(flag));
  }
  return flags;
}

bool has_target(const KernelChoice& kernel, const std::string& target) {
  if (!kernel.contract) return false;
  const std::vector<SuiteTarget>& targets = kernel.contract->targets;
  return std::any_of(targets.begin(), targets.end(), [&](const SuiteTarget& one) { return one.name == target; });
}

KernelChoice take_kernel(Given& given, const std::string& target, TargetOf of) {
  KernelChoice kernel;
  if (const std::optional<std::string> file = take_contract(given)) {
    kernel.contract = plugin::read_contract(*file);
    const bool of_contract = of == TargetOf::contract || has_target(kernel, target);
    if (of_contract) kernel.contract = plugin::read_contract(*file, target);
    kernel.flags = " --kernel " + base::shell_word(*file);
    if (of_contract && !target.empty()) kernel.flags += " --target " + base::shell_word(target);
  }
  const plugin::Contract* const contract = kernel.contract ? &*kernel.contract : nullptr;
  std::vector<std::string> ways;
  for (const char* flag : {"--exec", "--exec-batch", "--plugin"}) {
    if (given.has(flag)) ways.emplace_back(flag);
  }
  if (ways.size() > 1) usage_error(base::join(ways, " and ") + " exclude each other: one of them runs the kernel");
  std::string exec = contract ? contract->exec : "", batch = contract ? contract->exec_batch : "",
              library = contract ? contract->plugin : "";
  const plugin::Contract* beside = contract;
  if (!ways.empty()) {
    exec = batch = library = "";
    beside = nullptr;
    (ways[0] == "--exec" ? exec : ways[0] == "--plugin" ? library : batch) = given.one(ways[0]);
    kernel.flags += " " + ways[0] + " " + base::shell_word(given.one(ways[0]));
  }
  const bool any = !exec.empty() || !batch.empty() || !library.empty();
  if (!any && contract) {
    usage_error("--kernel " + base::quoted(contract->source) +
                " says no exec, exec_batch or plugin; give one of --exec, "
                "--exec-batch, --plugin");
  }
  for (const char* flag : {"--timeout", "--repeat"}) {
    if (!given.has(flag)) continue;
    if (!any) usage_error(std::string(flag) + " is about a kernel that is run: give --exec, --plugin or --kernel FILE");
    kernel.flags += " " + std::string(flag) + " " + given.one(flag);
  }
  if (!any && of == TargetOf::contract && !target.empty())
    usage_error("--target names a chip of a contract: give --kernel FILE");
  if (!any) return kernel;
  const double seconds = read_timeout(given, kernel.contract);
  std::shared_ptr<plugin::Transport> transport;
  if (!exec.empty()) {
    const std::vector<std::string> words = words_of(exec, "--exec", beside);
    kernel.name = fs::path(words[0]).filename().string();
    transport = plugin::command_for_each_case(words, seconds);
  } else if (!batch.empty()) {
    const std::vector<std::string> words = words_of(batch, "--exec-batch", beside);
    kernel.name = fs::path(words[0]).filename().string();
    transport = plugin::command_for_many_cases(words, seconds);
  } else {
    kernel.name = fs::path(library).filename().string();
    transport = plugin::plugin_library(library, seconds);
  }
  plugin::KernelRules rules;
  rules.repeat = read_repeat(given, kernel.contract, library.empty() ? 1 : 2);
  if (contract) {
    kernel.name = contract->name;
    rules.files = contract->files;
    rules.outputs = contract->outputs;
  }
  kernel.candidate = plugin::make_candidate(std::move(transport), std::move(rules));
  return kernel;
}

void complete_flags(const KernelChoice& kernel, Given& given) {
  if (!kernel.contract || given.has("--case")) return;
  const plugin::Contract& contract = *kernel.contract;
  const bool silent = !given.has("--op") && !given.has("--body");
  if (silent && !contract.body.empty()) given.add("--body", {contract.body});
  if (silent && contract.body.empty() && !contract.op.empty()) given.add("--op", {contract.op});
  if (!contract.dtypes.empty() && !given.has("--dtype")) {
    given.add("--dtype", {std::string(name_of(contract.dtypes.front()))});
  }
}

}  // namespace fusecheck::cli
