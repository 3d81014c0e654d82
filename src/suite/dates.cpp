#include "suite/dates.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace fusecheck::suite {

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int year = 0;
  unsigned month = 0, day = 0;
  if (text.find_first_not_of("0123456789-") != std::string::npos ||
      std::sscanf(text.c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3) {
    return false;
  }
  return std::chrono::year_month_day{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)}.ok();
}

std::string date_of_today() {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text.data();
}

}  // namespace fusecheck::suite
