#include "plugin/temp_folder.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {

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
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace fusecheck::plugin
