// Small files and folders: whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace fusecheck::golden {

// A text file of at most 64 MiB. No-verdict error: absent, unreadable. Usage error: not a regular file, larger, a Git
// LFS pointer.
std::string read_text(const std::filesystem::path& file);
// The whole file, whatever its size. No-verdict error where it cannot be read.
std::string read_whole(const std::filesystem::path& file);
// Written beside and renamed. No-verdict error where it cannot be.
void write_text(const std::filesystem::path& file, std::string_view text);
void append_text(const std::filesystem::path& file, std::string_view text);
void make_folders(const std::filesystem::path& folder);  // no-verdict error where it cannot be made
void move_folder(const std::filesystem::path& from, const std::filesystem::path& to);

// A folder in the making beside `final_place`: finish() renames it there, which must be free; else it is removed.
class Unfinished {
 public:
  explicit Unfinished(std::filesystem::path final_place);
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished();
  const std::filesystem::path& path() const { return path_; }
  void finish();

 private:
  std::filesystem::path final_place_, path_;
};

}  // namespace fusecheck::golden
