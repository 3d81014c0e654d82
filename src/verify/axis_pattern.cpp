// Patterns along one axis.
#include "verify/axis_pattern.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "verify/words.hpp"

namespace fusecheck::verify {
namespace {

using Indices = std::vector<std::int64_t>;

struct AxisWords {
  std::string_view name, one, many;
};
constexpr std::array<AxisWords, 8> words = {{
    {"n", "batch", "batches"},
    {"c", "channel", "channels"},
    {"h", "row", "rows"},
    {"w", "column", "columns"},
    {"oc", "output channel", "output channels"},
    {"ic", "input channel", "input channels"},
    {"kh", "kernel row", "kernel rows"},
    {"kw", "kernel column", "kernel columns"},
}};

AxisWords words_of(const std::string& name) {
  const auto found = std::ranges::find(words, name, &AxisWords::name);
  return found != words.end() ? *found : AxisWords{name, name, name};
}

// An axis, the indices on it that hold bad elements, and the patterns found so far.
struct Search {
  const AxisCounts& axis;
  Indices hit;
  std::int64_t length;
  std::vector<Pattern> found;

  double share_of(std::int64_t indices) const { return static_cast<double>(indices) / static_cast<double>(length); }
  void add(std::int64_t indices, double choices, std::string text) {
    const double share = share_of(indices);
    if (choices * chance(share, axis.bad) >= significance) return;
    if (axis.bad == axis.elements / length * indices) text += ", all of it";
    found.push_back({share, std::move(text)});
  }
};

std::string list_text(const Indices& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == indices.size() ? " and " : ", ") + std::to_string(indices[i]);
  }
  return text;
}

double combinations(std::int64_t n, std::int64_t k) {
  double result = 1;
  for (std::int64_t i = 0; i < k; ++i) result *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return result;
}

std::string interval_text(std::int64_t from, std::int64_t to) {
  std::string text = "[";
  text += std::to_string(from) + "," + std::to_string(to) + ")";
  return text;
}

void look_for_one(Search& search) {
  if (search.hit.size() != 1) return;
  const AxisWords word = words_of(search.axis.name);
  const std::int64_t at = search.hit.front();
  const bool place = search.axis.name == "h" || search.axis.name == "w";
  std::string text = std::string(word.one) + " " + std::to_string(at) + " only";
  if (place && at == search.length - 1) text = "last " + std::string(word.one) + " only";
  if (place && at == 0) text = "first " + std::string(word.one) + " only";
  search.add(1, static_cast<double>(search.length), text);
}

void look_for_few(Search& search) {
  constexpr std::size_t most = 8;
  const std::size_t count = search.hit.size();
  if (count < 2 || count > most) return;
  const std::int64_t indices = std::ssize(search.hit);
  // On a vector an index is an element: naming the elements needs no proof.
  const bool vector = search.axis.elements == search.length;
  search.add(indices, vector ? 0 : combinations(search.length, indices),
             std::string(words_of(search.axis.name).many) + " " + list_text(search.hit) + " only");
}

void look_for_range(Search& search) {
  const std::int64_t from = search.hit.front(), to = search.hit.back() + 1, indices = to - from;
  if (indices != std::ssize(search.hit) || indices < 3) return;
  std::string text = "every bad element has " + search.axis.name + " in " + interval_text(from, to);
  if (to == search.length) text += ", the last " + std::to_string(indices) + " of " + std::to_string(search.length);
  search.add(indices, static_cast<double>(search.length - indices + 1), text);
}

void look_for_steps(Search& search) {
  if (search.hit.size() < 3) return;
  const std::int64_t first = search.hit.front(), step = search.hit[1] - first;
  if (step < 2 || first >= step || search.hit.back() + step < search.length) return;
  for (std::size_t i = 1; i < search.hit.size(); ++i) {
    if (search.hit[i] - search.hit[i - 1] != step) return;
  }
  search.add(std::ssize(search.hit), static_cast<double>(search.length),
             "every " + ordinal(step) + " " + search.axis.name + " from " + std::to_string(first));
}

// Tiles and vector registers come in powers of two.
void look_for_period(Search& search) {
  for (const std::int64_t period : {8, 16, 32, 64}) {
    if (search.length < 2 * period) return;
    std::vector<bool> seen(static_cast<std::size_t>(period), false);
    for (const std::int64_t at : search.hit) seen[static_cast<std::size_t>(at % period)] = true;
    const auto from = std::ranges::find(seen, true) - seen.begin();
    const auto width = std::ranges::count(seen, true);
    if (2 * width > period || std::find(seen.begin() + from, seen.end(), false) - seen.begin() < from + width) continue;
    const std::string where = width == 1 ? " = " + std::to_string(from) : " in " + interval_text(from, from + width);
    std::int64_t covered = 0;
    for (std::int64_t at = 0; at < search.length; ++at) covered += seen[static_cast<std::size_t>(at % period)] ? 1 : 0;
    search.add(covered, 4.0 * static_cast<double>(period),
               search.axis.name + " mod " + std::to_string(period) + where + " only");
  }
}

// 90 % in one index or in the tail. The chance of that many among `count` is at most the number of ways to choose the
// other 10 % (under 1.39^count) times share^(0.9·count).
void look_for_most(Search& search) {
  const AxisCounts& axis = search.axis;
  const auto mostly = [&](std::int64_t indices, std::int64_t count, const std::string& text) {
    const double share = search.share_of(indices);
    const double base = 1.39 * share / std::sqrt(std::sqrt(std::sqrt(share)));  // share^(7/8) >= share^0.9
    if (10 * count < 9 * axis.bad || count == axis.bad) return;
    if (base >= 1 || static_cast<double>(search.length) * chance(base, axis.bad) >= significance) return;
    search.found.push_back({share, percent_text(count, axis.bad) + " of them " + text});
  };
  const auto largest = std::ranges::max_element(axis.bad_at);
  mostly(1, *largest,
         "in " + std::string(words_of(axis.name).one) + " " + std::to_string(largest - axis.bad_at.begin()));
  std::int64_t tail = 0;
  for (std::int64_t width = 1; 2 * width <= search.length && width <= 64; ++width) {
    tail += axis.bad_at[static_cast<std::size_t>(search.length - width)];
    if (width == 1 || (width & (width - 1)) != 0) continue;
    mostly(width, tail, "have " + axis.name + " in " + interval_text(search.length - width, search.length));
  }
}

}  // namespace

double chance(double share, std::int64_t count) {
  constexpr std::int64_t enough = 10'000;  // more only makes it smaller
  double result = 1;
  for (std::int64_t i = 0; i < std::min(count, enough) && share < 1; ++i) result *= share;
  return result;
}

std::string ordinal(std::int64_t number) {
  const std::int64_t tens = number % 100, ones = number % 10;
  const bool teen = tens >= 11 && tens <= 13;
  const char* suffix = teen ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
  return std::to_string(number) + suffix;
}

std::optional<Pattern> axis_pattern(const AxisCounts& axis) {
  Search search{axis, {}, std::ssize(axis.bad_at), {}};
  if (search.length < 2) return std::nullopt;
  for (std::int64_t at = 0; at < search.length; ++at) {
    if (axis.bad_at[static_cast<std::size_t>(at)] > 0) search.hit.push_back(at);
  }
  if (search.hit.empty()) return std::nullopt;
  // In this order: of patterns that cover the same share the first is told.
  for (const auto look : {look_for_one, look_for_range, look_for_steps, look_for_few, look_for_period, look_for_most}) {
    look(search);
  }
  if (search.found.empty()) return std::nullopt;
  return *std::ranges::min_element(search.found, {}, &Pattern::share);
}

}  // namespace fusecheck::verify
