#include "suite/baseline.hpp"

#include <fstream>
#include <iterator>
#include <limits>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "suite/reports.hpp"

namespace fusecheck::suite {
namespace {

constexpr std::string_view columns =
    "case,set,output,status,recipe,model,limit,contract,n,bad,nonfinite,max_ulp,flips,used,mean_ulp,rms,reason";
constexpr std::size_t column_count = 17;

// RFC 4180, one record after the other; a quoted cell may hold commas and quotes, no line breaks (we write none).
class CsvReader {
 public:
  CsvReader(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  bool next(std::vector<std::string>& cells) {
    if (at_ >= text_.size()) return false;
    ++line_;
    cells.assign(1, "");
    while (true) {
      read_cell(cells.back());
      if (at_ >= text_.size()) refuse("the line has no end; the file is cut off");
      const char c = text_[at_++];
      if (c == '\n') return true;
      if (c != ',') refuse("a quote in the middle of a cell");
      cells.emplace_back();
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    usage_error(path_ + ":" + std::to_string(line_) + ": " + why);
  }

 private:
  void read_cell(std::string& cell) {
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] == '\n') refuse("a quote is not closed");
        if (text_[at_] != '"') {
          cell += text_[at_];
        } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          cell += text_[at_++];
        } else {
          ++at_;
          break;
        }
      }
    } else {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') cell += text_[at_++];
      if (!cell.empty() && cell.back() == '\r' && at_ < text_.size() && text_[at_] == '\n') cell.pop_back();
    }
    if (at_ + 1 < text_.size() && text_[at_] == '\r' && text_[at_ + 1] == '\n') ++at_;
  }

  std::string path_, text_;
  std::size_t at_ = 0, line_ = 0;
};

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    no_verdict_error("baseline " + base::quoted_path(path) +
                     " cannot be read; 'fusecheck gate update' writes the first one");
  }
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (text.starts_with("version https://git-lfs")) {
    usage_error("baseline " + base::quoted_path(path) + " is a Git LFS pointer, not data; run 'git lfs pull'");
  }
  return text;
}

std::pair<RowKey, BaselineRow> read_row(const CsvReader& reader, const std::vector<std::string>& cells) {
  if (cells.size() != column_count) {
    reader.refuse(std::to_string(cells.size()) + " cells, expected " + std::to_string(column_count));
  }
  const auto located = [&](const auto& read) {
    try {
      return read();
    } catch (const Error& error) {
      reader.refuse(error.what());
    }
  };
  const auto integer = [&](std::size_t i, const std::string& name) {
    const std::int64_t value = located([&] { return base::parse_integer(cells[i], name); });
    if (value < 0) reader.refuse(name + " " + cells[i] + " is negative");
    return value;
  };
  const auto number = [&](std::size_t i, const std::string& name) {
    if (cells[i] == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (cells[i] == "inf" || cells[i] == "-inf")
      return std::numeric_limits<double>::infinity() * (cells[i][0] == '-' ? -1 : 1);
    return located([&] { return base::parse_number(cells[i], name); });
  };
  BaselineRow row;
  row.status = cells[3];
  if (row.status != "pass" && row.status != "weak")
    reader.refuse("status " + base::quoted(row.status) + " is none of pass, weak");
  row.recipe = cells[4];
  row.model = cells[5];
  row.limit = cells[6];
  row.contract = cells[7];
  row.n = integer(8, "n");
  row.bad = integer(9, "bad");
  row.nonfinite = integer(10, "nonfinite");
  row.max_ulp = integer(11, "max_ulp");
  row.flips = integer(12, "flips");
  row.used = number(13, "used");
  row.mean_ulp = number(14, "mean_ulp");
  row.rms = number(15, "rms");
  row.reason = cells[16];
  return {{cells[0], cells[1], cells[2]}, row};
}

}  // namespace

Baseline read_baseline(const std::string& path) {
  CsvReader reader(path, read_text(path));
  std::vector<std::string> cells;
  const bool any = reader.next(cells);
  if (!any || base::join(cells, ",") != columns) {
    usage_error(path + ":1: not the columns of a baseline of this version: " + std::string(columns));
  }
  Baseline baseline;
  while (reader.next(cells)) {
    auto [key, row] = read_row(reader, cells);
    if (!baseline.emplace(key, row).second)
      reader.refuse("case " + base::quoted(key.id) + " " + key.output + " is there twice");
  }
  return baseline;
}

std::string to_csv(const Baseline& baseline) {
  std::string text = std::string(columns) + "\n";
  for (const auto& [key, row] : baseline) {
    for (const std::string& cell :
         {key.id, key.set, key.output, row.status, row.recipe, row.model, row.limit, row.contract}) {
      text += csv_cell(cell) + ",";
    }
    for (const std::int64_t count : {row.n, row.bad, row.nonfinite, row.max_ulp, row.flips}) {
      text += std::to_string(count) + ",";
    }
    for (const double number : {row.used, row.mean_ulp, row.rms}) text += base::number_text(number) + ",";
    text += csv_cell(row.reason) + "\n";
  }
  return text;
}

std::vector<std::pair<RowKey, BaselineRow>> rows_of(const RunHeader& header, const CaseRecord& record) {
  const std::string judged = header.kernel == "emulation" ? "fused" : "actual";
  std::vector<std::pair<RowKey, BaselineRow>> rows;
  for (const OutputRecord& one : record.outputs) {
    if (one.candidate != judged) continue;
    BaselineRow row{one.status,    one.recipe,  record.model, record.limit, header.contract, one.n,  one.bad,
                    one.nonfinite, one.max_ulp, one.flips,    one.used,     one.mean_ulp,    one.rms};
    rows.emplace_back(RowKey{record.id, one.set, one.output}, std::move(row));
  }
  return rows;
}

}  // namespace fusecheck::suite
