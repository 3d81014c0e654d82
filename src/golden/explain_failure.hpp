// What a failing output is, where golden data can tell: another tensor of this or another case, or this one misread.
#pragma once

#include <filesystem>

#include "golden/compare.hpp"

namespace fusecheck::golden {

// Puts one line in front of where.lines of each failing output of the kernel that it can name: all elements NaN or 0;
// bit for bit another tensor of this case, or of another case of the tree; another layout, if the output read in that
// layout passes.
void explain_failure(const std::filesystem::path& case_folder, const Manifest& manifest, const Layouts& layouts,
                     Comparison& comparison);

}  // namespace fusecheck::golden
