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
  int listed_ = -1;  // place among those of remove_temp_folders()
};

// For a signal handler that is about to end the process: has another process remove the folders that there are.
void remove_temp_folders() noexcept;

}  // namespace fusecheck::plugin
