// The commands of a Markdown page, and what the page says they print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fusecheck::testing {

struct ShownCommand {
  std::string line;    // as written, without the comment behind it
  std::string output;  // what follows it in a block of "$ COMMAND"; empty where nothing is shown
  int number = 0;      // of its line in the page
};

// In the order of the page: lines of indented blocks, "$ ..." with its output in fenced blocks without a language, and
// code spans that begin with "fusecheck ". A line "... does something ..." stands for what the reader does there.
std::vector<ShownCommand> shown_commands(std::string_view page);

}  // namespace fusecheck::testing
