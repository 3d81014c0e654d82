#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "fusecheck/error.hpp"

namespace fusecheck::report {
namespace {

std::string not_finite(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

template <typename Number, typename... Format>
std::string to_chars_text(Number value, Format... format) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return std::string(buffer.data(), result.ptr);
}

}  // namespace

std::string grouped(std::int64_t count) {
  std::string digits = to_chars_text(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string ulp_text(std::int64_t distance) {
  return distance == std::numeric_limits<std::int64_t>::max() ? "inf" : grouped(distance);
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  return to_chars_text(value, std::chars_format::general, 3);
}

std::string exact_number(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  const bool fits = std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  const float narrow = fits ? static_cast<float>(value) : 0.0F;
  if (fits && static_cast<double>(narrow) == value) return to_chars_text(narrow);
  return to_chars_text(value);
}

std::string percent(double share) {
  if (!std::isfinite(share)) return not_finite(share);
  const double hundred = 100 * share;
  if (hundred >= 1000) return ">999 %";
  const int decimals = hundred >= 10 || hundred == 0 ? 0 : 2;
  return to_chars_text(hundred, std::chars_format::fixed, decimals) + " %";
}

std::string index_text(const std::vector<std::int64_t>& index) {
  std::vector<std::string> parts;
  for (const std::int64_t i : index) parts.push_back(to_chars_text(i));
  return "[" + joined(parts, ",") + "]";
}

std::string list_text(const std::vector<double>& numbers) {
  std::vector<std::string> parts;
  for (const double number : numbers) parts.push_back(exact_number(number));
  return joined(parts, ",");
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += separator;
    text += words[i];
  }
  return text;
}

Table::Table(std::vector<std::string> headings, std::vector<Align> alignment) : alignment_(std::move(alignment)) {
  add(std::move(headings));
}

void Table::add(std::vector<std::string> row) {
  if (row.size() != alignment_.size()) internal_error("a table row has another number of cells than the table");
  rows_.push_back(std::move(row));
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> width(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - row[c].size(), ' ');
      if (c > 0) line += "  ";
      line += alignment_[c] == Align::left ? row[c] + space : space + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace fusecheck::report
