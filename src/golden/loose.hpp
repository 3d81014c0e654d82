// Two tensor files without a case: nobody knows what a legal kernel may do here, so a named standard must say it.
#pragma once

#include "fusecheck/check.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck::golden {

// A report with one output, "actual" against `golden` as truth. Usage error: the limit is `bound`, types or shapes
// differ.
CheckReport compare_loose(const std::string& name, const Tensor& actual, const Tensor& golden,
                          const JudgeOptions& options);

}  // namespace fusecheck::golden
