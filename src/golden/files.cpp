#include "golden/files.hpp"

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t largest_text = 64 << 20;

[[noreturn]] void cannot(const fs::path& path, const std::string& what, const std::error_code& error) {
  no_verdict_error(path.string() + ": cannot be " + what + (error ? ": " + error.message() : ""));
}

}  // namespace

std::string read_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) no_verdict_error(file.string() + ": no such file");
  if (!fs::is_regular_file(status)) usage_error(file.string() + ": is not a regular file");
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) cannot(file, "read", error);
  if (size > largest_text)
    usage_error(file.string() + ": has " + std::to_string(size) + " bytes; at most 64 MiB are read");
  std::string text = read_whole(file);
  if (text.starts_with("version https://git-lfs.github.com/spec/v1")) {
    usage_error(file.string() + ": is a Git LFS pointer (" + std::to_string(size) +
                " bytes), not data; run 'git lfs pull'");
  }
  return text;
}

std::string read_whole(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) cannot(file, "read", error);
  std::ifstream stream(file, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream) cannot(file, "read", {});
  return text;
}

void write_text(const fs::path& file, std::string_view text) {
  fs::path beside = file;
  beside += "." + std::to_string(getpid()) + ".partial";
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  std::error_code error;
  const bool written = static_cast<bool>(stream);
  if (written) fs::rename(beside, file, error);
  if (written && !error) return;
  std::error_code ignored;
  fs::remove(beside, ignored);
  cannot(file, "written", error);
}

void append_text(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) cannot(file, "written", {});
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot(folder, "made", error);
}

void move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) cannot(to, "written", error);
}

Unfinished::Unfinished(fs::path final_place) : final_place_(std::move(final_place)) {
  path_ = final_place_.parent_path() / ("." + final_place_.filename().string() + ".unfinished");
  std::error_code ignored;
  fs::remove_all(path_, ignored);  // of a run that was killed
  make_folders(path_);
}

Unfinished::~Unfinished() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Unfinished::finish() { move_folder(path_, final_place_); }

}  // namespace fusecheck::golden
