#include "graph/lexer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::graph {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view symbols = "=();,[]+-*/^";

bool in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

std::size_t end_of_number(std::string_view text, std::size_t at) {
  const auto skip_digits = [&] {
    while (at < text.size() && in(digits, text[at])) ++at;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') ++at;
  skip_digits();
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return at;
  std::size_t exponent = at + 1;
  if (exponent < text.size() && in("+-", text[exponent])) ++exponent;
  if (exponent >= text.size() || !in(digits, text[exponent])) return at;
  at = exponent;
  skip_digits();
  return at;
}

bool goes_on(const std::vector<Token>& tokens) {
  return tokens.empty() || (tokens.back().kind == Token::Kind::symbol && in("=(,[+-*/^;", tokens.back().text[0]));
}

}  // namespace

void refuse(std::string_view text, std::size_t position, const std::string& what) {
  const std::string_view before = text.substr(0, position);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view rest = text.substr(start);
  const std::string_view shown = rest.substr(0, rest.find('\n'));
  const std::size_t column = position - start;
  const std::string place = line > 0 ? "line " + std::to_string(line + 1) + ", " : "";
  const std::size_t window = column > 40 ? column - 40 : 0;  // quoted() shows 80 bytes
  const std::string excerpt = shown.empty() ? "" : " in " + base::quoted(shown.substr(window));
  usage_error("body, " + place + "column " + std::to_string(column + 1) + ": " + what + excerpt);
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  int depth = 0;
  std::size_t at = 0;
  const auto add = [&](Token::Kind kind, std::size_t end) {
    tokens.push_back({kind, std::string(text.substr(at, end - at)), at});
    at = end;
  };
  while (at < text.size()) {
    const char c = text[at];
    const bool point_number = c == '.' && at + 1 < text.size() && in(digits, text[at + 1]);
    if (c == '\n' && depth <= 0 && !goes_on(tokens)) {
      tokens.push_back({Token::Kind::symbol, ";", at++});
    } else if (in(" \t\r\n", c)) {
      ++at;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (in(letters, c)) {
      std::size_t end = at;
      while (end < text.size() && (in(letters, text[end]) || in(digits, text[end]))) ++end;
      add(Token::Kind::name, end);
    } else if (in(digits, c) || point_number) {
      add(Token::Kind::number, end_of_number(text, at));
    } else if (in(symbols, c)) {
      depth += in("([", c) ? 1 : in(")]", c) ? -1 : 0;
      add(Token::Kind::symbol, at + 1);
    } else {
      refuse(text, at, base::quoted(std::string_view(&c, 1)) + " has no meaning here");
    }
  }
  tokens.push_back({Token::Kind::end, "", text.size()});
  return tokens;
}

}  // namespace fusecheck::graph
