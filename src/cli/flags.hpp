// The flags of the flat form: one table that the parser, the help text and the refusals read.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fusecheck::cli {

struct Flag {
  std::string name;   // "--op"
  std::string value;  // what it takes, for the help text; empty: nothing
  bool repeatable = false;
  bool case_part = false;  // part of the case: --case says it all already
  std::string group, doc;  // of the help text
};

const std::vector<Flag>& all_flags();

// What was given, in the order given. Flags without a value have one empty string.
class Given {
 public:
  bool has(const std::string& flag) const { return values_.contains(flag); }
  const std::string& one(const std::string& flag) const;        // internal error when absent
  std::vector<std::string> all(const std::string& flag) const;  // empty when absent
  void add(const std::string& flag, std::vector<std::string> values) { values_[flag] = std::move(values); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

// Usage error: unknown flags (with a suggestion), positional words, flags given twice, missing or empty values.
Given parse_flags(const std::vector<std::string>& arguments);

}  // namespace fusecheck::cli
