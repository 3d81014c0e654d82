// What several runs of one case say about a kernel: elements that it left alone, and elements that changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugin/case_folder.hpp"

namespace fusecheck::plugin {

// The outputs of one run as they lay in their files, and what was there before.
struct Run {
  Poison poison = Poison::nan;
  Tensors stored;
};

struct Unwritten {
  std::int64_t count = 0, size = 0;
  std::string text;  // "1024 of 4096 elements of y, all of them the last 1024, from [0,48,0]"; empty: none
};

// Elements of `place` that hold their poison after every run: those of the buffer, padding lanes included.
Unwritten unwritten(const TensorPlace& place, const std::vector<Run>& runs);

// Where two runs differ in bits: "y: 3 of 4096 elements, first at [0,1,5], 1 and 3"; nothing where they do not.
// Elements that hold their poison after both do not count.
std::optional<std::string> difference(const CaseFolder& folder, const Run& a, const Run& b);

}  // namespace fusecheck::plugin
