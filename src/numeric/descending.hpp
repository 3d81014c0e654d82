// Terms in descending order of magnitude: the one legal order of a sum that depends on the data (NUMERICS.md J4).
#pragma once

#include <cstddef>
#include <vector>

namespace fusecheck::numeric {

// Sorts by |x| as f32 holds it, the largest first, NaN before all; equal magnitudes keep their order, so that the
// result is the same with every standard library.
void sort_descending(std::vector<float>& x);
void sort_descending(std::vector<double>& x);
// The same for each row of `length` terms.
void sort_rows_descending(std::vector<double>& x, std::size_t length);

}  // namespace fusecheck::numeric
