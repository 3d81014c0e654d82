#include "plugin/arguments.hpp"

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::string filled(const std::string& word, const std::map<std::string, std::string>& values, std::string_view what) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t end = word[i] == '{' ? word.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      text += word[i];
      continue;
    }
    const std::string name = word.substr(i + 1, end - i - 1);
    const auto found = values.find(name);
    if (found == values.end()) {
      std::vector<std::string> known;
      for (const auto& [placeholder, value] : values) known.push_back("{" + placeholder + "}");
      usage_error(std::string(what) + ": unknown placeholder " + base::quoted("{" + name + "}") + "; there are " +
                  base::join(known, ", "));
    }
    text += found->second;
    i = end;
  }
  return text;
}

}  // namespace

std::vector<std::string> split_command(std::string_view text, std::string_view what) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun: "" is one, too
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (!is_blank(c)) {
      word += c;
      inside = true;
    } else if (inside) {
      words.push_back(std::move(word));
      word.clear();
      inside = false;
    }
  }
  if (quote != 0) usage_error(std::string(what) + " " + base::quoted(text) + ": a quote is not closed");
  if (inside) words.push_back(std::move(word));
  if (words.empty()) usage_error(std::string(what) + " names no program, as in 'run_kernel {dir}'");
  return words;
}

std::vector<std::string> fill_in(const std::vector<std::string>& words,
                                 const std::map<std::string, std::string>& values, std::string_view what) {
  std::vector<std::string> result;
  for (const std::string& word : words) result.push_back(filled(word, values, what));
  return result;
}

}  // namespace fusecheck::plugin
