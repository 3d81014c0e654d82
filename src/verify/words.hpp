// Numbers in sentences.
#pragma once

#include <cstdint>
#include <string>

namespace fusecheck::verify {

std::string count_text(std::int64_t count);                       // "200,704"
std::string rough(double value);                                  // three significant digits: "0.25", "1.5e-07"
std::string percent_text(std::int64_t part, std::int64_t whole);  // "12.5 %"; never 0 % or 100 % unless it is

}  // namespace fusecheck::verify
