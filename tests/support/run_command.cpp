#include "support/run_command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

#include "support/temp_dir.hpp"

namespace fusecheck::testing {
namespace {

constexpr int cannot_start = 127;

// In the child: only calls that are safe after fork, then exec.
[[noreturn]] void become(char* const* arguments, char* const* environment, const char* folder, const char* out,
                         const char* err) {
  const int input = open("/dev/null", O_RDONLY);
  const int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int errors = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const bool connected = dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(errors, 2) >= 0;
  if (connected && (*folder == '\0' || chdir(folder) == 0)) execvpe(arguments[0], arguments, environment);
  _exit(cannot_start);
}

std::vector<char*> environment_without_ci() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("CI=")) kept.push_back(*entry);
  }
  kept.push_back(nullptr);
  return kept;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& folder) {
  // Files and not pipes: no amount of output can block the program.
  const TempDir capture;
  const std::string out = (capture / "out").string();
  const std::string err = (capture / "err").string();
  std::vector<std::string> words = arguments;
  const std::vector<char*> pointers = pointers_to(words);
  const std::vector<char*> environment = environment_without_ci();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(pointers.data(), environment.data(), folder.c_str(), out.c_str(), err.c_str());
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait for " + arguments[0]);
  const int exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (exit_code == cannot_start) throw std::runtime_error("cannot start " + arguments[0]);
  return {exit_code, read_bytes(out), read_bytes(err)};
}

CommandResult run_fusecheck(std::vector<std::string> arguments, const std::string& folder) {
  arguments.insert(arguments.begin(), FUSECHECK_BINARY);
  return run_command(arguments, folder);
}

pid_t start_fusecheck(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), FUSECHECK_BINARY);
  const std::vector<char*> pointers = pointers_to(arguments), environment = environment_without_ci();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(pointers.data(), environment.data(), "", "/dev/null", "/dev/null");
  return child;
}

}  // namespace fusecheck::testing
