// Terms in descending order of magnitude: the one legal order of a sum that depends on the data (NUMERICS.md J4).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fusecheck::numeric {

// Sorts by |x| as f32 holds it, the largest first, NaN before all; equal magnitudes keep their order, so that the
// result is the same with every standard library.
void sort_descending(std::vector<float>& x);

// Adds to totals[r] the `length` terms at terms[r·length], in that order, each sum formed in f64 and rounded to f32.
// An internal error unless terms holds a row for each total.
void add_rows_descending(std::span<const double> terms, std::size_t length, std::span<float> totals);

}  // namespace fusecheck::numeric
