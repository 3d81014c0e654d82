// The functions in f64: names, error bounds and the choice of the instruction set (N11).
#include "fusecheck/functions.hpp"

#include <array>
#include <string>

#include "fusecheck/error.hpp"
#include "numeric/functions_dispatch.hpp"

namespace fusecheck {
namespace {

bool always() { return true; }
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

constexpr std::array<numeric::FunctionLevel, numeric::function_level_count> levels = {{
    {"baseline", &numeric::function_loops_baseline, &always},
    {"avx2", &numeric::function_loops_avx2, &has_avx2},
    {"avx512", &numeric::function_loops_avx512, &has_avx512},
}};

const numeric::FunctionLoop* fastest_loops() {
  const numeric::FunctionLoop* loops = nullptr;
  for (const auto& level : levels) {
    if (level.available()) loops = level.loops();
  }
  return loops;
}

numeric::FunctionLoop loop_of(Function function) {
  static const numeric::FunctionLoop* const loops = fastest_loops();
  return loops[static_cast<std::size_t>(function)];
}

// Relative errors in u = 2^-53, from the formulas in functions_exponential.hpp, functions_normal.hpp and
// functions_gates.hpp; an operation adds 1 to its result, and what goes into it counts by its condition. NUMERICS.md
// N11 has the list. Building blocks: q of exponential() 2.2, e = 1 + q 1.7, 1 - e 2.6, G 11.5 (t 4.4, Horner 3.2, fit
// 0.6, quotient and product 3; other places less), log(1 + v) 3.4.
struct Entry {
  Function function;
  std::string_view name;
  double error;
};
constexpr double u = 0x1p-53;
constexpr std::array entries = {
    Entry{Function::exp, "exp", 2 * u},
    Entry{Function::expm1, "expm1", 5 * u},
    Entry{Function::log, "log", 3 * u},
    Entry{Function::tanh, "tanh", 6 * u},
    Entry{Function::erf, "erf", 7 * u},
    Entry{Function::sigmoid, "sigmoid", 4 * u},
    Entry{Function::sqrt, "sqrt", u},
    Entry{Function::rsqrt, "rsqrt", 2 * u},
    Entry{Function::gelu, "gelu", 17 * u},
    Entry{Function::gelu_tanh, "gelu_tanh", 5 * u},
    Entry{Function::silu, "silu", 5 * u},
    Entry{Function::softplus, "softplus", 7 * u},
    Entry{Function::mish, "mish", 10 * u},
    Entry{Function::tanh_derivative, "tanh_derivative", 6 * u},
    Entry{Function::erf_derivative, "erf_derivative", 4 * u},
    Entry{Function::sigmoid_derivative, "sigmoid_derivative", 6 * u},
    Entry{Function::gelu_derivative, "gelu_derivative", 36 * u},
    Entry{Function::gelu_tanh_derivative, "gelu_tanh_derivative", 22 * u},
    Entry{Function::silu_derivative, "silu_derivative", 12 * u},
    Entry{Function::mish_derivative, "mish_derivative", 34 * u},
};

constexpr std::array<Function, entries.size()> in_order() {
  std::array<Function, entries.size()> functions{};
  for (std::size_t i = 0; i < entries.size(); ++i) functions[i] = entries[i].function;
  return functions;
}
constexpr std::array<Function, entries.size()> functions_in_order = in_order();

constexpr bool each_stands_at_its_number() {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (static_cast<std::size_t>(entries[i].function) != i) return false;
  }
  return true;
}
static_assert(each_stands_at_its_number());

}  // namespace

const numeric::FunctionLevel& numeric::function_level(int i) { return levels.at(static_cast<std::size_t>(i)); }

std::span<const Function> all_functions() { return functions_in_order; }
std::string_view name_of(Function function) { return entries[static_cast<std::size_t>(function)].name; }
double relative_error(Function function) { return entries[static_cast<std::size_t>(function)].error; }

double evaluate(Function function, double x) {
  double y = 0;
  loop_of(function)(&x, &y, 1);
  return y;
}

void evaluate(Function function, std::span<const double> x, std::span<double> y) {
  if (x.size() != y.size()) {
    internal_error("evaluate: " + std::to_string(x.size()) + " values into an array of " + std::to_string(y.size()));
  }
  loop_of(function)(x.data(), y.data(), x.size());
}

}  // namespace fusecheck
