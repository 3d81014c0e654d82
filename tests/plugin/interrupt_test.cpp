// A user who ends fusecheck ends the kernel that runs, and what it has started.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "plugin_test_support.hpp"

namespace fusecheck::testing {
namespace {

namespace fs = std::filesystem;

bool within_ten_seconds(const std::function<bool()>& holds) {
  for (int i = 0; i < 10'000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return holds();
}

// A process that has ended may stay as a zombie: nobody here is its parent.
bool has_ended(const std::string& id) {
  std::ifstream stat("/proc/" + id + "/stat");
  std::string number, name, state;
  return !(stat >> number >> name >> state) || state == "Z" || state == "X";
}

class EndedRun : public ::testing::Test {
 protected:
  // Starts fusecheck on a kernel that never ends, and waits until that has started a process of its own.
  pid_t start(std::vector<std::string> arguments) {
    folder.write("kernel.sh", "sleep 100 &\necho $! > " + (folder / "part").string() + "\necho $$ > " +
                                  (folder / "kernel").string() + "\nwait\n");
    arguments.insert(arguments.end(), {"--exec", "/bin/sh " + (folder / "kernel.sh").string() + " {dir}"});
    fs::create_directory(folder / "tmp");
    const char* const before = std::getenv("TMPDIR");
    const std::string old = before == nullptr ? "" : before;
    setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    const pid_t child = start_fusecheck(arguments);
    if (before == nullptr) unsetenv("TMPDIR");
    if (before != nullptr) setenv("TMPDIR", old.c_str(), 1);
    EXPECT_TRUE(within_ten_seconds([&] { return !id_of("kernel").empty(); })) << "the kernel was not started";
    return child;
  }
  std::string id_of(const char* file) const {
    std::ifstream stream(folder / file);
    std::string id;
    std::getline(stream, id);
    return stream.eof() ? "" : id;  // no newline yet
  }
  // The kernel's working data, below TMPDIR.
  bool folder_is_there() const {
    const auto entries = fs::directory_iterator(folder / "tmp");
    return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with("fusecheck-kernel-");
    });
  }
  void expect_kernel_gone() const {
    EXPECT_TRUE(within_ten_seconds([&] { return !folder_is_there(); })) << "its folder is left";
    for (const char* name : {"kernel", "part"}) {
      const std::string id = id_of(name);
      EXPECT_FALSE(id.empty());
      EXPECT_TRUE(within_ten_seconds([&] { return has_ended(id); })) << name << " still runs";
    }
  }
  TempDir folder;
};

class Ended : public EndedRun, public ::testing::WithParamInterface<int> {};

TEST_P(Ended, WithOneCase) {
  const pid_t child = start({"--op", "relu", "--shape", "2x3x4", "--data", "random"});
  ASSERT_FALSE(has_ended(id_of("kernel")));
  ASSERT_TRUE(folder_is_there());
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam()) << status;
  expect_kernel_gone();
}

INSTANTIATE_TEST_SUITE_P(BySignal, Ended, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& tested) { return std::string(sigabbrev_np(tested.param)); });

// The first signal lets the running case end, the second does not wait for it.
TEST_F(EndedRun, WithASuiteByTheSecondSignal) {
  folder.write("s.yaml", "version: 1\ncases:\n  - relu/f32/x=2x3x4/random\n");
  const pid_t child = start({"run", (folder / "s.yaml").string(), "-o", (folder / "r").string()});
  kill(child, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it did not wait for the case";
  EXPECT_FALSE(has_ended(id_of("kernel")));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT) << status;
  expect_kernel_gone();
}

}  // namespace
}  // namespace fusecheck::testing
