// From a command template to the words of a program: no shell in between.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fusecheck::plugin {

// Words between blanks; 'single' and "double" quotes hold a word together. Nothing is expanded or escaped.
// Usage error: no word, or a quote that is not closed. `what` names the template in messages ("--exec").
std::vector<std::string> split_command(std::string_view text, std::string_view what);

// The value of each {name}. Usage error: a name that `values` does not have.
std::vector<std::string> fill_in(const std::vector<std::string>& words,
                                 const std::map<std::string, std::string>& values, std::string_view what);

}  // namespace fusecheck::plugin
