#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "fusecheck/error.hpp"

namespace fusecheck::base {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Optimal string alignment distance: Levenshtein's, with a swap of two neighbours as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string_view rule) {
  usage_error(std::string(what) + ": " + quoted(text) + " " + std::string(rule));
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& candidates) {
  // Longer text is no misspelt name, and the distance costs a product of lengths.
  if (wrong.empty() || wrong.size() > 100) return "";
  const std::string lower = lower_case(wrong);
  const std::string* best = nullptr;
  const std::size_t letters = wrong.size() - std::min(wrong.find_first_not_of('-'), wrong.size());
  std::size_t best_distance = std::max<std::size_t>(1, letters / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower, lower_case(candidate));
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? "" : " Did you mean '" + *best + "'?";
}

std::string hint(std::string_view wrong, const std::vector<std::string>& candidates) {
  const std::string question = suggestion(wrong, candidates);
  return question.empty() ? "" : "." + question;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> buffer{};  // the longest shortest double has 24 characters
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

double parse_number(std::string_view text, std::string_view what) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) refuse(text, what, "is outside the range of a double");
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value)) {
    refuse(text, what, "is not a number such as 3, 0.5 or 1e-3");
  }
  return value;
}

std::int64_t parse_integer(std::string_view text, std::string_view what) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range) refuse(text, what, "is outside the range of a 64-bit integer");
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) refuse(text, what, "is not an integer");
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

namespace {

// What a terminal acts on instead of showing it: controls, line separators, marks without width or that turn the
// direction of the text (Unicode 15, general categories Cc, Cf, Zl, Zp of the basic plane; tags of plane 14).
bool is_invisible(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) ||
         c >= 0xe0000;
}

// Bytes of the character that `text` begins with, if that is well-formed UTF-8 (Unicode 15, table 3-7) that can be
// shown; else 0.
std::size_t shown_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (length == 0 || length > text.size() || byte(0) > 0xf4) return 0;
  char32_t c = length == 1 ? byte(0) : byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    c = c << 6 | (byte(i) & 0x3fU);
  }
  const bool too_long = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
  const bool surrogate = c >= 0xd800 && c < 0xe000;
  return too_long || surrogate || c > 0x10ffff || is_invisible(c) ? 0 : length;
}

std::string quoted_up_to(std::size_t most, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "'";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t shown = shown_length(text.substr(at));
    if (at + std::max<std::size_t>(shown, 1) > most) break;
    if (shown > 0) {
      out += text.substr(at, shown);
      at += shown;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at++]);
    out += "\\x";
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out + (at < text.size() ? "...'" : "'");
}

}  // namespace

std::string quoted(std::string_view text) { return quoted_up_to(80, text); }

std::string quoted_path(std::string_view path) {
  constexpr std::size_t longest = 4096;  // PATH_MAX of Linux
  return quoted_up_to(longest, path);
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return std::string(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::none_of(text.begin(), text.end(), is_control)) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
  }
  std::string quoted = "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(c)) {
      quoted += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                 static_cast<char>('0' + (byte & 7))};
    } else {
      if (c == '\'' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += separator;
    joined += part;
  }
  return joined;
}

}  // namespace fusecheck::base
