#include "plugin/open_file.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {

void OpenFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

OpenFile create_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    no_verdict_error(base::quoted_path(path.string()) + " cannot be written: " + std::string(std::strerror(errno)));
  }
  return OpenFile(descriptor);
}

Connection make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) no_verdict_error(std::string("no pipe can be made: ") + std::strerror(errno));
  return {OpenFile(ends[0]), OpenFile(ends[1])};
}

Connection make_socket() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    no_verdict_error(std::string("no socket can be made: ") + std::strerror(errno));
  }
  return {OpenFile(ends[0]), OpenFile(ends[1])};
}

}  // namespace fusecheck::plugin
