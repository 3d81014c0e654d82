#include "suite/select.hpp"

#include <algorithm>
#include <charconv>
#include <regex>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::suite {
namespace {

// The first 64 bits of SHA-256: the same on every machine, and even over any set of lines.
std::uint64_t hash_of(const std::string& text) {
  const std::string hex = base::sha256_hex(std::as_bytes(std::span(text)));
  std::uint64_t value = 0;
  std::from_chars(hex.data(), hex.data() + 16, value, 16);
  return value;
}

std::vector<std::regex> patterns(const std::vector<std::string>& texts, const std::string& flag) {
  std::vector<std::regex> list;
  for (const std::string& text : texts) {
    try {
      list.emplace_back(text, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      usage_error(flag + " " + base::quoted(text) + " is not a regular expression: " + error.what());
    }
  }
  return list;
}

bool any_found(const std::vector<std::regex>& list, const std::string& id) {
  return std::any_of(list.begin(), list.end(), [&](const std::regex& one) { return std::regex_search(id, one); });
}

std::size_t number_in(const std::map<std::string, std::string>& environment, const std::string& name) {
  const std::int64_t value = base::parse_integer(environment.at(name), name);
  if (value < 0) usage_error(name + "=" + environment.at(name) + " is negative");
  return static_cast<std::size_t>(value);
}

// One family of variables: which hold the index, its first value, and the count.
struct Family {
  std::string index, first, count;  // `first` empty: the index begins at `base`
  std::size_t base;
};
const std::vector<Family> families = {{"TEST_SHARD_INDEX", "", "TEST_TOTAL_SHARDS", 0},
                                      {"GTEST_SHARD_INDEX", "", "GTEST_TOTAL_SHARDS", 0},
                                      {"CI_NODE_INDEX", "", "CI_NODE_TOTAL", 1},
                                      {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", 0}};

}  // namespace

const std::vector<std::string>& shard_variables() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Family& family : families) {
      for (const std::string& name : {family.index, family.first, family.count}) {
        if (!name.empty()) list.push_back(name);
      }
    }
    return list;
  }();
  return names;
}

std::string to_text(const Shard& shard) { return std::to_string(shard.index) + "/" + std::to_string(shard.count); }

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto number = [&](const std::string& part) {
    std::size_t value = 0;
    const auto result = std::from_chars(part.data(), part.data() + part.size(), value);
    const bool whole = result.ec == std::errc{} && result.ptr == part.data() + part.size();
    return whole ? value : std::size_t{0};
  };
  Shard shard{0, 0};
  if (slash != std::string::npos) shard = {number(text.substr(0, slash)), number(text.substr(slash + 1))};
  if (shard.index < 1 || shard.index > shard.count || shard.count > 1'000'000) {
    usage_error("--shard " + base::quoted(text) + " is not K/N with 1 <= K <= N, as in 2/8, nor 'auto'");
  }
  return shard;
}

std::size_t shard_of(const std::string& id, std::size_t count) { return hash_of(id) % count + 1; }

FoundShard find_shard(const std::map<std::string, std::string>& environment) {
  for (const Family& family : families) {
    if (!environment.contains(family.index) || !environment.contains(family.count)) continue;
    const std::size_t first = family.first.empty()                 ? family.base
                              : environment.contains(family.first) ? number_in(environment, family.first)
                                                                   : 0;
    const std::size_t index = number_in(environment, family.index), count = number_in(environment, family.count);
    const std::string source =
        family.index + "=" + environment.at(family.index) + ", " + family.count + "=" + environment.at(family.count);
    if (index < first || index - first >= count) usage_error("--shard auto: " + source + " names no shard");
    return {{index - first + 1, count}, source};
  }
  usage_error("--shard auto finds none of " + base::join(shard_variables(), ", ") + "; say --shard K/N");
}

std::vector<std::size_t> select(const Suite& suite, const Selection& selection) {
  const std::vector<std::regex> filters = patterns(selection.filters, "--filter");
  const std::vector<std::regex> excludes = patterns(selection.excludes, "--exclude");
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < suite.cases.size(); ++i) {
    const std::string& id = suite.cases[i].id;
    if ((filters.empty() || any_found(filters, id)) && !any_found(excludes, id)) selected.push_back(i);
  }
  if (!selection.sample || *selection.sample >= selected.size()) return selected;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (const std::size_t i : selected) order.emplace_back(hash_of("sample " + suite.cases[i].id), i);
  std::sort(order.begin(), order.end());
  selected.clear();
  for (std::size_t i = 0; i < *selection.sample; ++i) selected.push_back(order[i].second);
  std::sort(selected.begin(), selected.end());
  return selected;
}

std::string selection_digest(const Suite& suite, const std::vector<std::size_t>& selected) {
  std::string text = "fusecheck.selection/1 " + suite.sha256 + "\n";
  for (const std::size_t i : selected) text += suite.cases[i].id + "\n";
  return base::sha256_hex(std::as_bytes(std::span(text)));
}

}  // namespace fusecheck::suite
