#include "support/includes.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fusecheck::testing {
namespace {

bool lies_in(std::string_view file, std::string_view place) {
  return file == place || (file.starts_with(place) && file[place.size()] == '/');
}

// Standard headers have no folder and no suffix.
bool is_standard(std::string_view header) {
  return header.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string_view::npos;
}

bool starts_with_one_of(std::string_view name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const auto& b) { return name.starts_with(b); });
}

// What is wrong with including `target` ("<...>" or "\"...\"") in `file`; empty where nothing is.
std::string problem_with(const std::string& file, std::string_view target, const IncludeRules& rules) {
  const char close = target.starts_with('<') ? '>' : target.starts_with('"') ? '"' : '\0';
  const std::size_t end = close == '\0' ? std::string_view::npos : target.find(close, 1);
  if (end == std::string_view::npos) return "an #include must name its file";
  const std::string name(target.substr(1, end - 1));
  if (close == '>') {
    if (is_standard(name)) return "";
    for (const IncludeRule& rule : rules.headers) {
      if (!name.starts_with(rule.subject)) continue;
      const bool permitted = std::any_of(rule.permitted.begin(), rule.permitted.end(),
                                         [&](const auto& place) { return lies_in(file, place); });
      return permitted ? "" : "<" + name + "> has no place here";
    }
    return "<" + name + "> is in no rule";
  }
  const IncludeRule* folder = nullptr;
  for (const IncludeRule& rule : rules.folders) {
    if (lies_in(file, rule.subject) && (folder == nullptr || rule.subject.size() > folder->subject.size()))
      folder = &rule;
  }
  if (folder == nullptr) return "its folder is in no rule";
  if (name.find("..") != std::string::npos) return "\"" + name + "\" leaves its folder";
  const std::string beginning = name.find('/') == std::string::npos ? "./" + name : name;
  return starts_with_one_of(beginning, folder->permitted) ? "" : "\"" + name + "\" is not below " + folder->subject;
}

}  // namespace

IncludeRules parse_rules(std::string_view text) {
  IncludeRules rules;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, word;
    if (!(words >> kind) || kind.starts_with('#')) continue;
    IncludeRule rule;
    words >> rule.subject;
    if (!rule.subject.ends_with(':')) throw std::runtime_error("no ':' after the subject of: " + line);
    rule.subject.pop_back();
    while (words >> word) rule.permitted.push_back(word);
    if (kind != "folder" && kind != "header") throw std::runtime_error("neither folder nor header: " + line);
    (kind == "folder" ? rules.folders : rules.headers).push_back(rule);
  }
  return rules;
}

std::vector<std::string> violations(const std::string& file, std::string_view text, const IncludeRules& rules) {
  std::vector<std::string> found;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view spaces = " \t";
    std::string_view rest = line;
    const auto skip = [&](std::size_t n) {
      rest.remove_prefix(n);
      rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size()));
    };
    skip(0);
    if (!rest.starts_with('#')) continue;
    skip(1);
    if (!rest.starts_with("include")) continue;
    skip(std::string_view("include").size());
    const std::string problem = problem_with(file, rest, rules);
    if (!problem.empty()) found.push_back(file + ":" + std::to_string(number) + ": " + problem);
  }
  return found;
}

std::vector<std::string> source_files(const std::filesystem::path& root, const IncludeRules& rules) {
  std::set<std::string> files;
  for (const IncludeRule& rule : rules.folders) {
    if (!std::filesystem::is_directory(root / rule.subject)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / rule.subject)) {
      const auto suffix = entry.path().extension();
      if (suffix == ".cpp" || suffix == ".hpp") files.insert(entry.path().lexically_relative(root).generic_string());
    }
  }
  return {files.begin(), files.end()};
}

}  // namespace fusecheck::testing
