// A process for many cases: folders go in on its stdin, answers come back on its stdout.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "plugin/open_file.hpp"
#include "plugin/process.hpp"
#include "plugin/transport.hpp"
#include "plugin/worker.hpp"

namespace fusecheck::plugin {
namespace {

using Outcome = CandidateOutputs::Outcome;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t lines_shown = 20;
constexpr double seconds_to_end = 2;  // once its stdin is closed; a device may need to be released

struct Server {
  Command command;
  std::string name;  // for messages
  double seconds = 0;
  bool with_poison = false;  // a line says the poison first: our own worker fills the memory that the kernel allocates
};

// One line from a descriptor, or nothing: the other end was closed, or time is up.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  bool timed_out() const { return timed_out_; }

  std::optional<std::string> next(Clock::time_point until) {
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != std::string::npos) {
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd ready{descriptor_, POLLIN, 0};
      const int count = left < 0 ? 0 : poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left + 1, 60'000)));
      if (count == 0 && Clock::now() >= until) {
        timed_out_ = true;
        return std::nullopt;
      }
      if (count <= 0) continue;
      char bytes[4096];
      const ssize_t size = read(descriptor_, bytes, sizeof bytes);
      if (size <= 0) return std::nullopt;
      text_.append(bytes, static_cast<std::size_t>(size));
    }
  }

 private:
  int descriptor_;
  bool timed_out_ = false;
  std::string text_;
};

bool send_line(int descriptor, const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t size = send(descriptor, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

// "done PATH", "failed PATH WHY" ... ; nothing for a line of the process's log.
std::optional<TransportEnd> answer_in(const std::string& line, const std::string& path) {
  static constexpr std::pair<const char*, Outcome> words[] = {{"done", Outcome::ran},
                                                              {"unsupported", Outcome::unsupported},
                                                              {"rejected", Outcome::rejected},
                                                              {"failed", Outcome::failed}};
  for (const auto& [word, outcome] : words) {
    const std::string begin = std::string(word) + " " + path;
    if (!line.starts_with(begin)) continue;
    if (line.size() == begin.size())
      return TransportEnd{outcome, outcome == Outcome::ran ? "" : "the kernel says no more"};
    if (line[begin.size()] == ' ') return TransportEnd{outcome, line.substr(begin.size() + 1)};
  }
  return std::nullopt;
}

class BatchSession : public Session {
 public:
  explicit BatchSession(const Server& server)
      : server_(server),
        in_(make_socket()),
        out_(make_pipe()),
        errors_(create_file(logs_.path() / "stderr")),
        process_(server.command, {in_.read.descriptor(), out_.write.descriptor(), errors_.descriptor()}),
        reader_(out_.read.descriptor()) {
    in_.read.close();
    out_.write.close();
  }
  BatchSession(const BatchSession&) = delete;
  BatchSession& operator=(const BatchSession&) = delete;
  ~BatchSession() override {
    in_.write.close();
    if (usable_) process_.wait(seconds_to_end);
  }

  bool usable() const override { return usable_; }

  TransportEnd run(const CaseFolder& folder, Poison poison) override {
    const std::string path = folder.path.string();
    const std::string order = server_.with_poison ? (poison == Poison::nan ? "nan " : "number ") + path : path;
    if (send_line(in_.write.descriptor(), order + "\n")) {
      // Lines of its log buy it no time.
      const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(server_.seconds));
      while (const std::optional<std::string> line = reader_.next(until)) {
        std::optional<TransportEnd> answer = answer_in(*line, path);
        if (!answer) continue;
        // Who wrote where nothing is his may have written anywhere: the next case gets a new process.
        if (answer->outcome == Outcome::rejected) usable_ = false;
        if (answer->outcome == Outcome::failed) answer->error_lines = last_lines(logs_.path() / "stderr", lines_shown);
        return *answer;
      }
    }
    return lost();
  }

 private:
  // Its stdout is closed, or it said nothing in time.
  TransportEnd lost() {
    usable_ = false;
    ProcessEnd end = process_.wait(reader_.timed_out() ? 0 : seconds_to_end);
    end.timed_out = reader_.timed_out();
    std::string how = to_text(end, server_.seconds);
    if (!end.timed_out && end.signal == 0) how += " without an answer";
    return {Outcome::failed, "the kernel (" + server_.name + ") " + how,
            last_lines(logs_.path() / "stderr", lines_shown)};
  }

  Server server_;
  bool usable_ = true;
  TempFolder logs_;
  Connection in_, out_;
  OpenFile errors_;
  Process process_;
  LineReader reader_;
};

// As many processes as there are threads that ask at once.
class BatchTransport : public Transport {
 public:
  explicit BatchTransport(Server server) : server_(std::move(server)) {}

  std::unique_ptr<Session> take() override {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Session> session = std::move(idle_.back());
        idle_.pop_back();
        return session;
      }
    }
    return std::make_unique<BatchSession>(server_);
  }

  void give_back(std::unique_ptr<Session> session) override {
    if (!session->usable()) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
  }

  bool keeps_process() const override { return true; }

 private:
  Server server_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace

std::shared_ptr<Transport> command_for_many_cases(std::vector<std::string> words, double seconds) {
  const std::string name = base::quoted(words.at(0));
  return std::make_shared<BatchTransport>(Server{{std::move(words), {}}, name, seconds, false});
}

std::shared_ptr<Transport> plugin_library(const std::filesystem::path& library, double seconds) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) no_verdict_error("the path of fusecheck itself is not known (/proc/self/exe): " + error.message());
  if (!std::filesystem::exists(library, error)) {
    no_verdict_error("--plugin " + base::quoted_path(library.string()) + ": no such file");
  }
  const std::string path = std::filesystem::absolute(library).string();
  // Small blocks come from a cache that glibc does not fill; without it each block is filled.
  return std::make_shared<BatchTransport>(
      Server{{{own.string(), worker_command, path}, {{"GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"}}},
             base::quoted_path(library.filename().string()),
             seconds,
             true});
}

}  // namespace fusecheck::plugin
