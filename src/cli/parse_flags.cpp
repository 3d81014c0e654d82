// The only user of CLI11: from words to flags and their values. What the values mean is read in request.cpp.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.hpp"
#include "cli/flags.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::cli {
namespace {

std::vector<std::string> names_of(const std::vector<Flag>& flags) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  return names;
}

bool is_flag(const std::string& word) { return word.starts_with("-") && word != "-" && word != "--"; }

[[noreturn]] void refuse_word(const std::string& word, const Syntax& syntax) {
  const std::string flag = word.substr(0, word.find('='));
  if (is_flag(word)) {
    const std::string known = base::hint(flag, names_of(syntax.flags));
    const std::string way_out = known.empty() ? "; 'fusecheck help' lists all" : known;
    usage_error("unknown option " + base::quoted(flag) + way_out);
  }
  if (syntax.words > 0)
    usage_error(syntax.command + " takes " + syntax.usage + "; " + base::quoted(word) + " is one too many");
  usage_error("unexpected word " + base::quoted(word) + ": only flags may stand here, as in --shape 1,64,56,56");
}

// CLI11 reads "--op=" as "take the next word", and "[1,2]" as two values; here both are mistakes.
void refuse_tricky_words(const std::vector<std::string>& arguments, const std::vector<Flag>& flags) {
  for (const std::string& word : arguments) {
    if (word.starts_with("[")) usage_error(base::quoted(word) + ": numbers stand without brackets, as in 3,3");
    if (!word.starts_with("--")) continue;
    const std::size_t sign = word.find('=');
    const std::string name = word.substr(0, sign);
    const auto flag = std::find_if(flags.begin(), flags.end(), [&](const Flag& f) { return f.name == name; });
    if (flag == flags.end() || sign == std::string::npos) continue;
    if (flag->value.empty()) usage_error(name + " takes no value");
    if (sign + 1 == word.size()) usage_error(name + " has no value; it takes " + flag->value);
    if (word[sign + 1] == '[') usage_error(base::quoted(word) + ": numbers stand without brackets, as in 3,3");
  }
}

void require_values(const Flag& flag, const std::vector<std::string>& values) {
  if (values.size() > 1 && !flag.repeatable) {
    usage_error(flag.name + " is given " + std::to_string(values.size()) + " times: " + base::quoted(values[0]) +
                " and " + base::quoted(values[1]) + "; give it once");
  }
  for (const std::string& value : values) {
    if (value.empty()) usage_error(flag.name + " has an empty value; it takes " + flag.value);
    if (value.starts_with("--")) {
      usage_error(flag.name + " has no value (" + base::quoted(value) + " is the next flag); it takes " + flag.value);
    }
  }
}

}  // namespace

Given parse_flags(const std::vector<std::string>& arguments) {
  return parse_flags(arguments, Syntax{"", all_flags(), 0, ""});
}

Given parse_flags(const std::vector<std::string>& arguments, const Syntax& syntax) {
  const std::vector<Flag>& flags = syntax.flags;
  refuse_tricky_words(arguments, flags);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<std::string, std::vector<std::string>> values;
  for (const Flag& flag : flags) {
    const std::string names_of_flag = flag.letter.empty() ? flag.name : flag.letter + "," + flag.name;
    if (flag.value.empty()) {
      app.add_flag(names_of_flag);
    } else {
      app.add_option(names_of_flag, values[flag.name])
          ->expected(1)
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch&) {
    const auto last = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) {
      return arguments.back() == flag.name || arguments.back() == flag.letter;
    });
    if (last == flags.end()) usage_error("a flag has no value");
    usage_error(last->name + " has no value; it takes " + last->value);
  } catch (const CLI::ParseError& error) {
    usage_error(error.what());
  }
  Given given;
  for (const std::string& word : app.remaining()) {
    if (is_flag(word) || given.words().size() == syntax.words) refuse_word(word, syntax);
    given.add_word(word);
  }
  for (const Flag& flag : flags) {
    const std::size_t count = app.count(flag.name);
    if (count == 0) continue;
    if (flag.value.empty()) {
      if (count > 1) usage_error(flag.name + " is given " + std::to_string(count) + " times; give it once");
      given.add(flag.name, {""});
    } else {
      require_values(flag, values[flag.name]);
      given.add(flag.name, values[flag.name]);
    }
  }
  return given;
}

}  // namespace fusecheck::cli
