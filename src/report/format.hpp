// Numbers and tables as text: locale-free, the same bytes on every machine, ASCII only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fusecheck::report {

std::string grouped(std::int64_t count);      // 200704 -> "200,704"
std::string ulp_text(std::int64_t distance);  // grouped; the value that stands for "not comparable" -> "inf"
std::string short_number(double value);       // three significant digits: "0.501", "4.88e-05", "nan", "-inf"
std::string exact_number(double value);       // reads back to the same value; as short as f32 allows where it is one
std::string percent(double share);            // 0.37 -> "37 %", 0.0042 -> "0.42 %"
std::string index_text(const std::vector<std::int64_t>& index);  // "[0,5,17,49]"
std::string list_text(const std::vector<double>& numbers);       // "1,2"
std::string joined(const std::vector<std::string>& words, std::string_view separator);

enum class Align : std::uint8_t { left, right };

// Rows of cells under one heading each, two spaces between columns, `indent` in front, no spaces at line ends.
class Table {
 public:
  Table(std::vector<std::string> headings, std::vector<Align> alignment);
  void add(std::vector<std::string> row);
  std::string text(std::string_view indent) const;

 private:
  std::vector<Align> alignment_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fusecheck::report
