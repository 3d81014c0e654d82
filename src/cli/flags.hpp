// Flags of a command: one table that the parser, the help text and the refusals read.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fusecheck::cli {

struct Flag {
  std::string name;   // "--op"
  std::string value;  // what it takes, for the help text; empty: nothing
  bool repeatable = false;
  bool case_part = false;   // part of the case: --case says it all already
  std::string group, doc;   // of the help text
  std::string letter = {};  // "-o"; empty: none
};

const std::vector<Flag>& all_flags();  // of the flat form
std::vector<Flag> case_flags();        // those that make up a case, --case included: other commands add their own
std::string flags_text(const std::vector<Flag>& flags);  // a line for each flag, under the headings of the groups

// What was given, in the order given. Flags without a value have one empty string.
class Given {
 public:
  bool has(const std::string& flag) const { return values_.contains(flag); }
  const std::string& one(const std::string& flag) const;        // internal error when absent
  std::vector<std::string> all(const std::string& flag) const;  // empty when absent
  void add(const std::string& flag, std::vector<std::string> values) { values_[flag] = std::move(values); }
  const std::vector<std::string>& words() const { return words_; }  // what stood there without a flag
  void remove(const std::string& flag) { values_.erase(flag); }
  void add_word(std::string word) { words_.push_back(std::move(word)); }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> words_;
};

// What a command takes: its name for messages ("" for the flat form), its flags, and how many words without a flag.
struct Syntax {
  std::string command;
  std::vector<Flag> flags;
  std::size_t words = 0;
  std::string usage;  // the words, for messages: "ACTUAL GOLDEN"
};

// Usage error: unknown flags (with a suggestion), too many words, flags given twice, missing or empty values.
Given parse_flags(const std::vector<std::string>& arguments, const Syntax& syntax);
Given parse_flags(const std::vector<std::string>& arguments);  // the flat form: no words

}  // namespace fusecheck::cli
