#include "suite/results.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "suite/expand.hpp"

namespace fusecheck::suite {
namespace {

namespace fs = std::filesystem;

std::ifstream open_to_read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || fs::is_directory(path)) no_verdict_error("results " + base::quoted_path(path) + " cannot be read");
  return stream;
}

std::string read_line(std::ifstream& stream, const std::string& path, const ResultFile::Line& line) {
  std::string text(static_cast<std::size_t>(line.size), '\0');
  stream.clear();
  stream.seekg(line.offset);
  stream.read(text.data(), line.size);
  if (!stream) no_verdict_error("results " + base::quoted_path(path) + " cannot be read to its end");
  return text;
}

[[noreturn]] void refuse(const std::string& path, std::size_t line, const std::string& why) {
  usage_error(path + ":" + std::to_string(line) + ": " + why);
}

[[noreturn]] void refuse_write(const std::string& path) {
  no_verdict_error("results " + base::quoted_path(path) + " cannot be written; is the disk full, the folder there?");
}

ResultFile empty_file(const std::string& path, const RunHeader& header) {
  ResultFile file;
  file.path = path;
  file.header = header;
  file.lines.resize(header.cases);
  return file;
}

// Reads line by line and remembers where each record is.
class Scanner {
 public:
  explicit Scanner(const std::string& path) : path_(path), stream_(open_to_read(path)), again_(open_to_read(path)) {
    file_.path = path;
  }

  ResultFile scan() {
    read_header();
    std::string text;
    while (next(text)) {
      const std::optional<CaseRecord> record = ended_ ? parse_record(text) : std::nullopt;
      if (!record) {
        std::string more;
        if (next(more)) refuse(path_, number_ - 1, "not a record of " + std::string(run_schema));
        file_.torn = true;
        break;
      }
      add(*record, text);
      file_.whole = end_;
    }
    return std::move(file_);
  }

 private:
  bool next(std::string& text) {
    begin_ = end_;
    if (!std::getline(stream_, text)) return false;
    ended_ = !stream_.eof();
    end_ = begin_ + static_cast<std::int64_t>(text.size()) + (ended_ ? 1 : 0);
    ++number_;
    return true;
  }

  void read_header() {
    std::string text;
    const bool any = next(text);
    if (any && text.starts_with("version https://git-lfs")) {
      usage_error("results " + base::quoted_path(path_) + " is a Git LFS pointer, not data; run 'git lfs pull'");
    }
    const std::optional<RunHeader> header = any && ended_ ? parse_header(text) : std::nullopt;
    if (!header)
      refuse(path_, 1, "no header of " + std::string(run_schema) + "; is it a file that 'fusecheck run' wrote?");
    if (header->cases > most_cases) {
      refuse(path_, 1, std::to_string(header->cases) + " cases; a run has at most " + std::to_string(most_cases));
    }
    file_.header = *header;
    file_.lines.resize(header->cases);
    file_.whole = end_;
  }

  void add(const CaseRecord& record, const std::string& text) {
    if (record.index >= file_.lines.size()) {
      refuse(path_, number_, "case " + std::to_string(record.index) + " of " + std::to_string(file_.lines.size()));
    }
    ResultFile::Line& line = file_.lines[record.index];
    if (line.offset < 0) {
      line = {begin_, static_cast<std::int64_t>(text.size())};
      ++file_.count;
    } else if (read_line(again_, path_, line) != text) {
      refuse(path_, number_, "case " + base::quoted(record.id) + " is there twice, with different results");
    }
  }

  std::string path_;
  std::ifstream stream_, again_;
  ResultFile file_;
  std::size_t number_ = 0;  // of the line, from 1
  std::int64_t begin_ = 0, end_ = 0;
  bool ended_ = false;  // the line that was read ends in a newline
};

// The one line of a case in any of the files; empty when there is none.
std::string line_of(std::vector<std::ifstream>& streams, const std::vector<ResultFile>& files, std::size_t index) {
  std::string text;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].lines[index].offset < 0) continue;
    std::string line = read_line(streams[i], files[i].path, files[i].lines[index]);
    if (!text.empty() && line != text) {
      const std::optional<CaseRecord> record = parse_record(line);
      usage_error("case " + base::quoted(record ? record->id : "") + " has another result in " +
                  base::quoted_path(files[i].path) + " than in a file before it");
    }
    text = std::move(line);
  }
  return text;
}

std::string counted(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

[[noreturn]] void refuse_incomplete(const std::vector<ResultFile>& files, std::size_t present) {
  const RunHeader& header = files[0].header;
  std::vector<bool> there(header.shard.count, false);
  for (const ResultFile& file : files) there[file.header.shard.index - 1] = true;
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < there.size(); ++k) {
    if (!there[k]) missing.push_back(to_text(Shard{k + 1, there.size()}));
  }
  const std::string cases = "; " + counted(present) + " of " + counted(header.cases) + " cases";
  const std::string suite = " of suite " + header.suite + " " + header.selection.substr(0, 8);
  if (missing.empty()) {
    no_verdict_error("all " + std::to_string(there.size()) + " shards" + suite + ", but a run was interrupted" + cases +
                     "; finish it with 'fusecheck run --resume'");
  }
  no_verdict_error(std::to_string(there.size() - missing.size()) + " of " + std::to_string(there.size()) + " shards" +
                   suite + " (missing " + base::join(missing, ", ") + ")" + cases);
}

}  // namespace

ResultFile scan_results(const std::string& path) { return Scanner(path).scan(); }

void for_each_record(const ResultFile& file, const std::function<void(const CaseRecord&)>& visit) {
  std::ifstream stream = open_to_read(file.path);
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (file.lines[i].offset < 0) continue;
    const std::optional<CaseRecord> record = parse_record(read_line(stream, file.path, file.lines[i]));
    if (!record || record->index != i)
      no_verdict_error("results " + base::quoted_path(file.path) + " changed while they were read");
    visit(*record);
  }
}

ResultWriter::ResultWriter(const std::string& path, const RunHeader& header)
    : file_(empty_file(path, header)), stream_(path, std::ios::binary | std::ios::trunc) {
  write(to_json(header));
}

ResultWriter::ResultWriter(const ResultFile& file) : file_(file) {
  std::error_code error;
  if (file.torn) fs::resize_file(file.path, static_cast<std::uintmax_t>(file.whole), error);
  if (error) refuse_write(file.path);
  file_.torn = false;
  stream_.open(file.path, std::ios::binary | std::ios::app);
}

void ResultWriter::add(const CaseRecord& record) {
  const std::string line = to_json(record);
  const std::lock_guard lock(mutex_);
  if (record.index >= file_.lines.size() || file_.lines[record.index].offset >= 0) {
    internal_error("results: case " + std::to_string(record.index) + " of " + std::to_string(file_.lines.size()) +
                   " is written twice, or is none of them");
  }
  file_.lines[record.index] = {file_.whole, std::ssize(line)};
  ++file_.count;
  write(line);
}

void ResultWriter::write(const std::string& line) {
  stream_ << line << '\n' << std::flush;
  if (!stream_) refuse_write(file_.path);
  file_.whole += std::ssize(line) + 1;
}

ResultFile write_sorted(const std::string& path, const RunHeader& header, const std::vector<ResultFile>& files) {
  const std::string beside = path + ".unfinished";
  std::vector<std::ifstream> streams;
  for (const ResultFile& file : files) streams.push_back(open_to_read(file.path));
  ResultFile sorted = empty_file(path, header);
  try {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    const auto write = [&](const std::string& line) {
      stream << line << '\n';
      sorted.whole += std::ssize(line) + 1;
    };
    write(to_json(header));
    for (std::size_t i = 0; i < header.cases && stream; ++i) {
      const std::string line = line_of(streams, files, i);
      if (line.empty()) continue;
      sorted.lines[i] = {sorted.whole, std::ssize(line)};
      ++sorted.count;
      write(line);
    }
    stream.close();
    if (!stream) refuse_write(path);
    std::error_code error;
    fs::rename(beside, path, error);
    if (error) refuse_write(path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    throw;
  }
  return sorted;
}

void merge_results(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<ResultFile> files;
  for (const std::string& path : paths) {
    files.push_back(scan_results(path));
    RunHeader ours = files.back().header, first = files[0].header;
    ours.shard.index = first.shard.index;
    if (ours != first) {
      usage_error("results " + base::quoted_path(path) + " and " + base::quoted_path(paths[0]) +
                  " are not of one run: suite, selection, shards, kernel and version must be equal");
    }
  }
  std::size_t present = 0;
  for (std::size_t i = 0; i < files[0].lines.size(); ++i) {
    present += std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.lines[i].offset >= 0; });
  }
  if (present < files[0].lines.size()) refuse_incomplete(files, present);
  RunHeader header = files[0].header;
  header.shard = Shard{};
  write_sorted(output, header, files);
}

void require_complete(const ResultFile& file) {
  if (file.count < file.header.cases) refuse_incomplete({file}, file.count);
}

}  // namespace fusecheck::suite
