// samples.json: some elements of each tensor that is too large to be stored, for boards that cannot run fusecheck. A
// smoke test, never a pass.
#pragma once

#include <filesystem>

#include "golden/golden_case.hpp"

namespace fusecheck::golden {

// Positions: the first and the last element and, by Philox under a fixed key, up to 254 others; ascending.
std::vector<std::int64_t> sample_positions(std::int64_t elements);
// {"in/x": [[position, "3c00"], ...]}: bit patterns in hexadecimal. Nothing where every tensor is stored.
void write_samples(const GoldenCase& golden, const std::filesystem::path& folder);
// No-verdict error where the folder has a samples.json that these tensors do not give.
void check_samples(const GoldenCase& golden, const std::filesystem::path& folder);

}  // namespace fusecheck::golden
