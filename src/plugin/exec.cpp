// A process for each case.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "plugin/arguments.hpp"
#include "plugin/open_file.hpp"
#include "plugin/process.hpp"
#include "plugin/transport.hpp"

namespace fusecheck::plugin {
namespace {

constexpr int unsupported = 77;  // as in Automake's tests
constexpr std::size_t lines_shown = 20;

class CommandSession : public Session {
 public:
  CommandSession(const std::vector<std::string>& words, double seconds) : words_(words), seconds_(seconds) {}

  TransportEnd run(const CaseFolder& folder, Poison poison) override {
    const TempFolder logs;
    const std::filesystem::path errors = logs.path() / "stderr";
    Command command{fill_in(words_, {{"dir", folder.path.string()}, {"case", folder.line}}, "--exec"),
                    {{"FUSECHECK_CASE_DIR", folder.path.string()}}};
    // glibc fills what malloc gives out with a byte that depends on this.
    if (std::getenv("MALLOC_PERTURB_") == nullptr) {
      command.environment["MALLOC_PERTURB_"] = poison == Poison::nan ? "165" : "90";
    }
    const OpenFile file = create_file(errors);
    Process process(command, {-1, file.descriptor(), file.descriptor()});
    const ProcessEnd end = process.wait(seconds_);
    if (!end.timed_out && end.signal == 0 && end.exit_code == 0) return {};
    std::vector<std::string> lines = last_lines(errors, lines_shown);
    if (!end.timed_out && end.signal == 0 && end.exit_code == unsupported) {
      return {CandidateOutputs::Outcome::unsupported,
              lines.empty() ? "the kernel says that it does not support the case (code 77)" : lines.back()};
    }
    return {CandidateOutputs::Outcome::failed, "the kernel (" + base::quoted(words_[0]) + ") " + to_text(end, seconds_),
            std::move(lines)};
  }

 private:
  std::vector<std::string> words_;
  double seconds_;
};

class CommandTransport : public Transport {
 public:
  CommandTransport(std::vector<std::string> words, double seconds) : words_(std::move(words)), seconds_(seconds) {}
  std::unique_ptr<Session> take() override { return std::make_unique<CommandSession>(words_, seconds_); }
  void give_back(std::unique_ptr<Session>) override {}
  bool keeps_process() const override { return false; }

 private:
  std::vector<std::string> words_;
  double seconds_;
};

}  // namespace

std::shared_ptr<Transport> command_for_each_case(std::vector<std::string> words, double seconds) {
  fill_in(words, {{"dir", ""}, {"case", ""}}, "--exec");  // an unknown placeholder is found before anything runs
  return std::make_shared<CommandTransport>(std::move(words), seconds);
}

}  // namespace fusecheck::plugin
