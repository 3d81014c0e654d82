#include "support/shown_commands.hpp"

namespace fusecheck::testing {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// A comment begins with a blank and "#", outside of quotes.
std::string without_comment(const std::string& line) {
  char quote = 0;
  std::size_t end = line.size();
  for (std::size_t i = 0; i < line.size() && end == line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '\'' || line[i] == '"') {
      quote = line[i];
    } else if (line[i] == '#' && i > 0 && line[i - 1] == ' ') {
      end = i;
    }
  }
  while (end > 0 && line[end - 1] == ' ') --end;
  return line.substr(0, end);
}

// Code spans of a paragraph, which may run over the end of a line.
void add_spans(const std::string& paragraph, int number, std::vector<ShownCommand>& commands) {
  std::size_t open = paragraph.find('`');
  while (open != std::string::npos) {
    const std::size_t close = paragraph.find('`', open + 1);
    if (close == std::string::npos) return;
    const std::string span = paragraph.substr(open + 1, close - open - 1);
    if (span.starts_with("fusecheck ")) commands.push_back({span, "", number});
    open = paragraph.find('`', close + 1);
  }
}

}  // namespace

std::vector<ShownCommand> shown_commands(std::string_view page) {
  std::vector<ShownCommand> commands;
  bool fenced = false, with_language = false;
  std::string paragraph;
  int number = 0, began = 0;
  for (const std::string& line : lines_of(page)) {
    ++number;
    const bool fence = line.starts_with("```");
    if (fence || line.empty() || line.starts_with("    ")) {
      if (!fenced) add_spans(paragraph, began, commands);
      paragraph.clear();
    }
    if (fence) {
      fenced = !fenced;
      with_language = fenced && line.size() > 3;
    } else if (fenced) {
      if (with_language) continue;
      if (line.starts_with("$ ")) {
        commands.push_back({line.substr(2), "", number});
      } else if (!commands.empty()) {
        commands.back().output += line + "\n";
      }
    } else if (line.starts_with("    ")) {
      commands.push_back({without_comment(line.substr(4)), "", number});
    } else if (!line.empty()) {
      if (paragraph.empty()) began = number;
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  add_spans(paragraph, began, commands);
  return commands;
}

}  // namespace fusecheck::testing
