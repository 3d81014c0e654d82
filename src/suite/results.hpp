// The file of a run: append-only while it runs, sorted by case when it is done. Nothing here holds all records at once.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "suite/record.hpp"

namespace fusecheck::suite {

// Where the lines of a file are.
struct ResultFile {
  struct Line {
    std::int64_t offset = -1;  // -1: there is none for this case
    std::int64_t size = 0;     // without the newline
  };
  std::string path;
  RunHeader header;
  std::vector<Line> lines;  // by CaseRecord::index; header.cases of them
  std::size_t count = 0;    // cases that have a line
  std::int64_t whole = 0;   // bytes up to the end of the last whole line
  bool torn = false;        // bytes follow that are no whole line: whoever wrote it was killed
};

// No-verdict error: the file is absent. Usage error with the line: another schema, what is no record anywhere but at
// the end, one case twice with different results, a Git LFS pointer.
ResultFile scan_results(const std::string& path);

// Calls `visit` for every record in the order of cases. No-verdict error: a line is no longer what it was.
void for_each_record(const ResultFile& file, const std::function<void(const CaseRecord&)>& visit);

// Appends records of different cases, each flushed before add() returns, which any thread may call.
class ResultWriter {
 public:
  // A new file with the header. No-verdict error where it cannot be written.
  ResultWriter(const std::string& path, const RunHeader& header);
  // Goes on with a file that was scanned; a torn end is cut off.
  explicit ResultWriter(const ResultFile& file);
  void add(const CaseRecord& record);
  // What scan_results would find, once no thread adds any more.
  const ResultFile& file() const { return file_; }

 private:
  void write(const std::string& line);
  std::mutex mutex_;
  ResultFile file_;
  std::ofstream stream_;
};

// Writes header and the lines of all files, sorted by case, beside `path` and renames it; what scan_results would then
// find. `header` is the first line; the files hold nothing twice unless the lines are equal (usage error, naming the
// case).
ResultFile write_sorted(const std::string& path, const RunHeader& header, const std::vector<ResultFile>& files);

// The shards of one run as the file that one run would have left. Usage error: files of different runs. No-verdict
// error: cases are missing, with the shards that are.
void merge_results(const std::vector<std::string>& paths, const std::string& output);

// No-verdict error unless every selected case has a record: what was interrupted proves nothing about the rest.
void require_complete(const ResultFile& file);

}  // namespace fusecheck::suite
