// A file descriptor that closes itself and is never passed on to another program unasked.
#pragma once

#include <filesystem>
#include <utility>

namespace fusecheck::plugin {

class OpenFile {
 public:
  explicit OpenFile(int descriptor = -1) : descriptor_(descriptor) {}
  ~OpenFile() { close(); }
  OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  int descriptor() const { return descriptor_; }
  void close();

 private:
  int descriptor_;
};

// A new file for writing, appended to. No-verdict error where it cannot be made.
OpenFile create_file(const std::filesystem::path& path);

// Two ends that are connected: what is written to the second is read from the first.
struct Connection {
  OpenFile read, write;
};
Connection make_pipe();
// The same, where writing to an end that nobody reads is an error and no signal (send with MSG_NOSIGNAL).
Connection make_socket();

}  // namespace fusecheck::plugin
