// Text to numbers and back, independent of the locale, and "did you mean".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fusecheck::base {

// " Did you mean 'X'?" with the candidate nearest to `wrong` (the first of several, case ignored), or "" where none is
// near enough: at most one edit (insert, delete, replace, swap of neighbours) for every three characters behind leading
// dashes, at least one.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& candidates);

// The same as the end of a message: ". Did you mean 'X'?", or "".
std::string hint(std::string_view wrong, const std::vector<std::string>& candidates);

// The shortest text that parse_number turns back into exactly `value`; "inf", "-inf" and "nan" where it is not finite.
std::string number_text(double value);

// The finite number that the whole of `text` spells ("-3", "1e-3", ".5"); correctly rounded.
// Usage error otherwise; `what` names the value in the message ("--eps").
double parse_number(std::string_view text, std::string_view what);

// The same for a decimal integer.
std::int64_t parse_integer(std::string_view text, std::string_view what);

// The parts of `text` between separators, empty ones included; one part when there is no separator.
std::vector<std::string> split(std::string_view text, char separator);

// "a, b, c"
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// `text` in single quotes, safe to print on one line: what no terminal shows (controls, bytes that are no UTF-8, marks
// that turn the direction of text) as \xNN a byte, at most 80 bytes shown.
std::string quoted(std::string_view text);
// The same for a file's name, which nobody can use cut: whole, as long as the system lets it be.
std::string quoted_path(std::string_view path);

// One word for a POSIX or bash command line. Control characters are spelled out, as in $'\012': a terminal must not act
// on a file's name.
std::string shell_word(std::string_view text);

}  // namespace fusecheck::base
