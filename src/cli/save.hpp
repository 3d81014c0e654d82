// --save: inputs, truth and every candidate's outputs as .npy, and what was found.
#pragma once

#include <string>

#include "fusecheck/check.hpp"

namespace fusecheck::cli {

// No-verdict error unless `folder` can become a new folder (or is an empty one): found out before anything runs.
void require_new_folder(const std::string& folder);

// inputs/x.npy, saved/mask.npy, truth/y.npy, unfused/y.npy, fused/y.npy, actual/y.npy; below a folder for each data set
// when there are several; and `document`, the one of --json, as result.json. Written beside `folder` and renamed: it is
// there whole, or not at all.
void save_case(const CheckReport& report, const std::string& document, const std::string& folder);

}  // namespace fusecheck::cli
