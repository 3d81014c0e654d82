#include "cli/save.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "cli/results_output.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  no_verdict_error("--save " + base::quoted_path(folder.string()) + ": " + why);
}

// "/data/out/" and "/data/out" are the same folder.
fs::path without_slash(const std::string& folder) {
  fs::path path(folder);
  return path.has_filename() ? path : path.parent_path();
}

fs::path unfinished(const fs::path& folder) {
  return folder.parent_path() / ("." + folder.filename().string() + ".unfinished");
}

// The parent must be there: a mistyped path is not to grow a tree of folders.
void make_folder(const fs::path& folder, const fs::path& of) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) refuse(of, "cannot be created: " + error.message());
}

// Removes what was begun unless it was finished.
class Unfinished {
 public:
  explicit Unfinished(fs::path path) : path_(std::move(path)) {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_set(const DataSetReport& set, const fs::path& folder, const fs::path& of) {
  for (const auto& [name, tensor] : set.tensors) {
    const std::size_t dot = name.find('.');
    const fs::path place = folder / (dot == std::string::npos ? "inputs" : name.substr(0, dot));
    make_folder(place, of);
    write_npy(place / ((dot == std::string::npos ? name : name.substr(dot + 1)) + ".npy"), tensor);
  }
}

}  // namespace

void require_new_folder(const std::string& text) {
  const fs::path folder = without_slash(text);
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status) && !fs::is_directory(status)) refuse(folder, "is a file; name a new folder");
  if (fs::is_directory(status) && !fs::is_empty(folder, error)) {
    refuse(folder, error ? "cannot be read: " + error.message() : "is not empty; name a new folder");
  }
  const fs::path beside = unfinished(folder);
  if (fs::exists(beside, error)) refuse(folder, base::quoted_path(beside.string()) + " is in the way; remove it");
  const Unfinished probe(beside);
  make_folder(probe.path(), folder);
}

void save_case(const CheckReport& report, const std::string& document, const std::string& text) {
  const fs::path folder = without_slash(text);
  const Unfinished work(unfinished(folder));
  make_folder(work.path(), folder);
  for (const DataSetReport& set : report.sets) {
    const bool several = report.sets.size() > 1;
    if (several) make_folder(work.path() / name_of(set.set), folder);
    write_set(set, several ? work.path() / name_of(set.set) : work.path(), folder);
  }
  write_file((work.path() / "result.json").string(), document);
  std::error_code error;
  fs::rename(work.path(), folder, error);  // replaces an empty folder
  if (error) refuse(folder, "cannot be written: " + error.message());
}

}  // namespace fusecheck::cli
