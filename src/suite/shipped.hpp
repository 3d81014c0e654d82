// The suites in src/suite/shipped/, as CMakeLists.txt put them into the program.
#pragma once

#include <span>
#include <string_view>

namespace fusecheck::suite {

struct ShippedSuite {
  std::string_view name, text;
};
std::span<const ShippedSuite> shipped_texts();  // sorted by name

}  // namespace fusecheck::suite
