// The one error type of fusecheck. A message is one line: the thing, its value, the rule it breaks, and a way out.
#pragma once

#include <stdexcept>
#include <string>

namespace fusecheck {

// What an error means for the exit code (NUMERICS.md has no say here; the table is in docs/exit-codes.md).
enum class ErrorKind {
  usage,       // a wrong flag, shape, attribute or file: exit 2
  no_verdict,  // a file that is absent, a crash of a kernel: exit 3
  internal,    // a bug of ours: exit 70
};

// Thrown wherever the caller's input cannot be used; caught once, in the command line's main().
// The message holds no trailing full stop and no newline.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

[[noreturn]] inline void usage_error(const std::string& message) {
  throw Error(ErrorKind::usage, message);
}
[[noreturn]] inline void no_verdict_error(const std::string& message) {
  throw Error(ErrorKind::no_verdict, message);
}
[[noreturn]] inline void internal_error(const std::string& message) {
  throw Error(ErrorKind::internal, message);
}

}  // namespace fusecheck
