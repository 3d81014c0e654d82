#include "report/version.hpp"

namespace fusecheck::report {

std::string version() { return FUSECHECK_VERSION; }

std::string build_text() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  const std::string build = FUSECHECK_BUILD_TYPE;
#if defined(__x86_64__)
  const std::string target = "x86_64";
#elif defined(__aarch64__)
  const std::string target = "aarch64";
#else
  const std::string target = "other";
#endif
  return compiler + ", " + (build.empty() ? "no build type" : build) + ", " + target;
}

}  // namespace fusecheck::report
