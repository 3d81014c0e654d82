// Tolerances as text.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/judge.hpp"
#include "verify/standards.hpp"

namespace fusecheck {
namespace {

constexpr std::string_view bound = "bound";

std::string spelling(const verify::Standard& standard) {
  const std::string name(standard.name);
  return standard.numbers == 0 ? name : name + (standard.numbers == 1 ? ":N" : ":RTOL,ATOL");
}

std::vector<std::string> known_names() {
  std::vector<std::string> names = {std::string(bound)};
  for (const verify::Standard& standard : verify::all_standards()) names.emplace_back(standard.name);
  return names;
}

[[noreturn]] void unknown(std::string_view name) {
  const std::string near = base::suggestion(name, known_names());
  std::string all(bound);
  for (const verify::Standard& standard : verify::all_standards()) all += ", " + spelling(standard);
  usage_error("--tol " + base::quoted(name) + " is unknown." + (near.empty() ? " Use one of " + all : near));
}

double not_negative(std::string_view text, std::string_view what) {
  const double value = base::parse_number(text, what);
  if (value < 0) usage_error(std::string(what) + " " + base::quoted(text) + " is negative: use 0 or more");
  return value;
}

}  // namespace

Tolerance parse_tolerance(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const bool has_numbers = colon != std::string_view::npos;
  if (name == bound && !has_numbers) return {};
  const auto standards = verify::all_standards();
  const auto found = std::ranges::find(standards, name, &verify::Standard::name);
  if (found == standards.end()) unknown(name == bound ? text : name);
  const std::vector<std::string> numbers =
      has_numbers ? base::split(text.substr(colon + 1), ',') : std::vector<std::string>{};
  if (std::ssize(numbers) != found->numbers) {
    usage_error("--tol " + base::quoted(text) + " has " + std::to_string(numbers.size()) + " numbers: write " +
                spelling(*found));
  }
  Tolerance tolerance{.name = std::string(name)};
  if (found->numbers == 1) {
    tolerance.max_ulp = base::parse_integer(numbers[0], "--tol ulp");
    if (tolerance.max_ulp < 0) usage_error("--tol ulp " + base::quoted(numbers[0]) + " is negative: use 0 or more");
  }
  if (found->numbers == 2) {
    tolerance.rtol = not_negative(numbers[0], "--tol mixed: rtol");
    tolerance.atol = not_negative(numbers[1], "--tol mixed: atol");
  }
  return tolerance;
}

std::string to_text(const Tolerance& tolerance) {
  if (tolerance.name == bound) return tolerance.name;
  const int numbers = verify::find_standard(tolerance.name).numbers;
  if (numbers == 1) return tolerance.name + ":" + std::to_string(tolerance.max_ulp);
  if (numbers == 2) {
    return tolerance.name + ":" + base::number_text(tolerance.rtol) + "," + base::number_text(tolerance.atol);
  }
  return tolerance.name;
}

std::vector<ToleranceDescription> list_tolerances() {
  std::vector<ToleranceDescription> all = {
      {std::string(bound),
       "every element inside the interval that legal orders of the recipe reach on this very case; bits flipped, rms "
       "and mean error of the tensor at most 3 times those of such orders",
       "fusecheck, NUMERICS.md J4 to J7"}};
  for (const verify::Standard& standard : verify::all_standards()) {
    all.push_back({spelling(standard), std::string(standard.rule), std::string(standard.source)});
  }
  return all;
}

}  // namespace fusecheck
