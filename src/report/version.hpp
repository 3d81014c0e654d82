// What this program is, for the first line of every report.
#pragma once

#include <string>

namespace fusecheck::report {

std::string version();     // "0.1.0"
std::string build_text();  // compiler, build type and target: "g++ 12.2.0, Release, x86_64"

// Versions of what others may parse; a change of meaning is a new number.
inline constexpr const char* result_schema = "fusecheck.result/1";
inline constexpr const char* case_grammar = "case/1";

}  // namespace fusecheck::report
