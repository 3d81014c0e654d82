// The include rules of layers.txt, and the places in a tree that break them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fusecheck::testing {

// `subject` (a folder, or the beginning of a header's name) goes with `permitted` (beginnings of names, or places).
struct IncludeRule {
  std::string subject;
  std::vector<std::string> permitted;
};

struct IncludeRules {
  std::vector<IncludeRule> folders, headers;
};

// Throws std::runtime_error on a line that is neither rule, comment nor empty.
IncludeRules parse_rules(std::string_view text);

// "FILE:LINE: what is wrong" for each #include of `text` that the rules do not permit in `file`.
std::vector<std::string> violations(const std::string& file, std::string_view text, const IncludeRules& rules);

// The .cpp and .hpp files below the folders of `rules` that exist in `root`, relative to it, sorted.
std::vector<std::string> source_files(const std::filesystem::path& root, const IncludeRules& rules);

}  // namespace fusecheck::testing
