#include "plugin/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> lines;
  for (char** line = environ; line != nullptr && *line != nullptr; ++line) {
    const std::string text = *line;
    if (!added.contains(text.substr(0, text.find('=')))) lines.push_back(text);
  }
  for (const auto& [name, value] : added) lines.push_back(name + "=" + value);
  return lines;
}

// What the child does between its birth and its program.
class Actions {
 public:
  Actions(const Streams& streams, const sigset_t& mask) {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    connect(streams.in, STDIN_FILENO, O_RDONLY);
    connect(streams.out, STDOUT_FILENO, O_WRONLY);
    connect(streams.err, STDERR_FILENO, O_WRONLY);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void connect(int from, int to, int mode) {
    if (from >= 0) {
      posix_spawn_file_actions_adddup2(&files_, from, to);
    } else {
      posix_spawn_file_actions_addopen(&files_, to, "/dev/null", mode, 0);
    }
  }
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

// The groups that run, for kill_running(): what a signal handler is to reach must be found without an argument. A
// group beyond the last place is not found there.
std::array<std::atomic<pid_t>, 1024> running{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void replace_running(pid_t from, pid_t to) {
  for (std::atomic<pid_t>& place : running) {
    pid_t expected = from;
    if (place.compare_exchange_strong(expected, to)) return;
  }
}

// No signal comes between the birth of a program and its place in the list.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

}  // namespace

void kill_running() noexcept {
  for (const std::atomic<pid_t>& place : running) {
    const pid_t group = place.load();
    if (group > 0) kill(-group, SIGKILL);
  }
}

Process::Process(const Command& command, const Streams& streams) {
  std::vector<std::string> words = command.arguments;
  std::vector<std::string> environment = environment_with(command.environment);
  const BlockedSignals blocked;
  const Actions actions(streams, blocked.before());
  const int error = posix_spawnp(&id_, words.at(0).c_str(), actions.files(), actions.attributes(),
                                 pointers_to(words).data(), pointers_to(environment).data());
  if (error != 0) {
    id_ = -1;
    no_verdict_error("the kernel's program " + base::quoted(words[0]) + " cannot be started: " + std::strerror(error));
  }
  replace_running(0, id_);
}

Process::~Process() {
  if (id_ < 0 || ended_) return;
  kill_group();
  waitpid(id_, nullptr, 0);
  replace_running(id_, 0);
}

void Process::kill_group() const { kill(-id_, SIGKILL); }

ProcessEnd Process::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  ProcessEnd end;
  int status = 0;
  auto pause = std::chrono::microseconds(200);
  while (waitpid(id_, &status, WNOHANG) == 0) {
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) {
      end.timed_out = true;
      kill_group();
      waitpid(id_, &status, 0);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(5000));
  }
  ended_ = true;
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  kill_group();
  replace_running(id_, 0);
  return end;
}

std::string to_text(const ProcessEnd& end, double seconds) {
  if (end.timed_out) return "did not end within " + base::number_text(seconds) + " s and was killed";
  if (end.signal == 0) return "ended with code " + std::to_string(end.exit_code);
  const char* name = sigabbrev_np(end.signal);
  return "was ended by signal " + std::to_string(end.signal) +
         (name == nullptr ? "" : " (SIG" + std::string(name) + ")");
}

std::vector<std::string> last_lines(const std::filesystem::path& file, std::size_t count) {
  std::ifstream stream(file, std::ios::binary);
  constexpr std::streamoff most = 65536;
  stream.seekg(0, std::ios::end);
  const std::streamoff size = stream.tellg();
  if (!stream) return {};
  stream.seekg(std::max<std::streamoff>(0, size - most));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    lines.push_back(line.substr(0, 500));
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

}  // namespace fusecheck::plugin
