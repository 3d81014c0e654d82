#include "plugin/temp_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {

namespace {

// The folders that there are, where a signal handler finds them; one beyond the last place, or with a longer name, it
// does not. A place is only ever written over with another such name: what the handler reads is never anything else's.
struct Listed {
  enum State : int { free, written, shown };
  std::atomic<int> state = free;
  std::array<char, 512> path = {};
};
std::array<Listed, 256> listed;
static_assert(std::atomic<int>::is_always_lock_free);

// The place where it is listed, or -1.
int list(const std::string& path) {
  if (path.size() >= listed.front().path.size()) return -1;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    Listed& place = listed[i];
    int expected = Listed::free;
    if (!place.state.compare_exchange_strong(expected, Listed::written)) continue;
    std::copy_n(path.c_str(), path.size() + 1, place.path.begin());
    place.state = Listed::shown;
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

// Only what POSIX (2.4.3) and glibc call safe in a handler: _Fork, unlike fork, takes no locks.
void remove_temp_folders() noexcept {
  char program[] = "/bin/rm", flags[] = "-rf", end_of_flags[] = "--";
  std::array<char*, listed.size() + 4> arguments = {program, flags, end_of_flags};
  std::size_t count = 3;
  for (Listed& place : listed) {
    if (place.state == Listed::shown) arguments[count++] = place.path.data();
  }
  if (count == 3 || _Fork() != 0) return;
  execve(program, arguments.data(), environ);
  _exit(1);
}

TempFolder::TempFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) no_verdict_error("TMPDIR is no folder: " + error.message());
  std::string pattern = (std::filesystem::absolute(parent) / "fusecheck-kernel-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    no_verdict_error("no folder can be made in " + base::quoted_path(parent.string()) + ": " + std::strerror(errno) +
                     "; set TMPDIR");
  }
  path_ = pattern;
  listed_ = list(pattern);
}

TempFolder::TempFolder(TempFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), listed_(std::exchange(other.listed_, -1)) {}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(listed_, other.listed_);
  return *this;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  if (listed_ >= 0) listed[static_cast<std::size_t>(listed_)].state = Listed::free;
}

}  // namespace fusecheck::plugin
