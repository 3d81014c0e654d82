// Programs of others: started without a shell and without fork, each in a process group of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fusecheck::plugin {

struct Command {
  std::vector<std::string> arguments;              // [0] is the program: a path, or a name in PATH
  std::map<std::string, std::string> environment;  // on top of this process's own
};

struct ProcessEnd {
  bool timed_out = false;
  int signal = 0;  // that ended it; 0: none
  int exit_code = 0;
};

// Open ends of a process's standard streams: what is negative is connected to /dev/null.
struct Streams {
  int in = -1, out = -1, err = -1;
};

// A running program. Destroying it kills its whole group.
class Process {
 public:
  // No-verdict error where it cannot be started. No other open file is passed on.
  Process(const Command& command, const Streams& streams);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits for its end; after `seconds` it is killed with all that it started. What it leaves running is killed, too.
  ProcessEnd wait(double seconds);

 private:
  void kill_group() const;
  pid_t id_ = -1;
  bool ended_ = false;
};

// Kills every program that runs, with all that it started. For signal handlers: it touches atomics and calls kill(2).
void kill_running() noexcept;

// "was ended by signal 11 (SIGSEGV)", "ended with code 3", "did not end within 60 s and was killed"
std::string to_text(const ProcessEnd& end, double seconds);

// The last `count` lines of a text file, without control characters; none where it is absent.
std::vector<std::string> last_lines(const std::filesystem::path& file, std::size_t count);

}  // namespace fusecheck::plugin
