// The words of a body's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fusecheck::graph {

struct Token {
  enum class Kind : unsigned char { name, number, symbol, end };
  Kind kind = Kind::end;
  std::string text;
  std::size_t position = 0;  // of its first byte
  bool is(char symbol) const { return kind == Kind::symbol && text[0] == symbol; }
};

// Usage error with the place: "body, column 7: ..." or, in a text of several lines, "body, line 2, column 7: ...".
[[noreturn]] void refuse(std::string_view text, std::size_t position, const std::string& what);

// The tokens of `text`, an `end` last. A line end outside parentheses is the symbol ';', unless the line goes on: it
// ends with an operator, a comma or an opening bracket. Usage error for any byte that no token has.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace fusecheck::graph
