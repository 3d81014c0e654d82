// A new folder below TMPDIR, removed with everything in it.
#pragma once

#include <filesystem>

namespace fusecheck::plugin {

class TempFolder {
 public:
  TempFolder();  // no-verdict error where it cannot be made
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fusecheck::plugin
