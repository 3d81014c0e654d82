// The f64 functions as compiled for each instruction set; all give the same bits (N11).
#pragma once

#include <cstddef>

namespace fusecheck::numeric {

// y_i = f(x_i). x == y, or no overlap.
using FunctionLoop = void (*)(const double* x, double* y, std::size_t n);

// One loop for each Function, in its order.
const FunctionLoop* function_loops_baseline();
const FunctionLoop* function_loops_avx2();
const FunctionLoop* function_loops_avx512();

struct FunctionLevel {
  const char* name;
  const FunctionLoop* (*loops)();
  bool (*available)();  // on this machine
};
inline constexpr int function_level_count = 3;
const FunctionLevel& function_level(int i);  // ascending: the last available one is the fastest

// Of loops that are compiled for each instruction set, those that are the fastest on this machine.
template <class Loops>
const Loops& best_of(const Loops& (*baseline)(), const Loops& (*avx2)(), const Loops& (*avx512)()) {
  if (function_level(2).available()) return avx512();
  return function_level(1).available() ? avx2() : baseline();
}

}  // namespace fusecheck::numeric
