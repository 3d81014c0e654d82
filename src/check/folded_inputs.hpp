// What a kernel with folded parameters takes in place of the filter, its bias and the statistics.
#pragma once

#include <string>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck {

// w_folded and b_folded as the case's model computes them under the named schedule, in the storage that it says (W'
// like w, b' in f32, unless the recipe rounds otherwise). Empty where the schedule folds nothing.
Tensors folded_inputs(const CaseSpec& spec, const Tensors& inputs, const std::string& recipe);

}  // namespace fusecheck
