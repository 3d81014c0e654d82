// Numbers in sentences.
#include "verify/words.hpp"

#include <array>
#include <charconv>

namespace fusecheck::verify {

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string rough(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3).ptr;
  return {text.data(), end};
}

std::string percent_text(std::int64_t part, std::int64_t whole) {
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && share < 0.01) return "under 0.01 %";
  if (part < whole && share > 99.9) return "over 99.9 %";
  return rough(share) + " %";
}

}  // namespace fusecheck::verify
