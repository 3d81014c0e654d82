// Nanoseconds of CPU time for an element of each function, on one thread: evaluate in f64 as this machine runs it and
// with the instructions of any x86-64, correctly_rounded to f16, bf16 and f32, and libm's double function for scale.
// Arguments are normal with deviation 2 (|x| for log and the roots), 4,096 at a time, so in the cache; the least of the
// rounds.
//
//   function_bench [rounds]
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fusecheck/functions.hpp"
#include "fusecheck/philox.hpp"
#include "numeric/functions_dispatch.hpp"

namespace {

using namespace fusecheck;

double cpu_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

double nanoseconds_an_element(std::size_t elements, int rounds, const std::function<void()>& run) {
  double least = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_nanoseconds();
    run();
    least = std::min(least, cpu_nanoseconds() - begin);
  }
  return least / static_cast<double>(elements);
}

std::vector<double> arguments(Function f, DType dtype) {
  const Philox stream(1, "bench");
  const bool positive = f == Function::log || f == Function::sqrt || f == Function::rsqrt;
  std::vector<double> x(4096);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double drawn = round_to(dtype, 2 * stream.normal(i));
    x[i] = positive ? std::abs(drawn) : drawn;
  }
  return x;
}

double of_libm(int rounds, double (*function)(double)) {
  const std::vector<double> x = arguments(Function::exp, DType::f64);
  std::vector<double> y(x.size());
  return nanoseconds_an_element(x.size(), rounds, [&] {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = function(x[i]);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  std::printf("%-22s %9s %9s %9s %9s %9s   ns an element\n", "function", "evaluate", "baseline", "f16", "bf16", "f32");
  for (const Function f : all_functions()) {
    const std::vector<double> x = arguments(f, DType::f64);
    std::vector<double> y(x.size());
    std::printf("%-22s", std::string(name_of(f)).c_str());
    std::printf(" %9.2f", nanoseconds_an_element(x.size(), rounds, [&] { evaluate(f, x, y); }));
    const numeric::FunctionLoop baseline = numeric::function_loops_baseline()[static_cast<std::size_t>(f)];
    std::printf(" %9.2f", nanoseconds_an_element(x.size(), rounds, [&] { baseline(x.data(), y.data(), x.size()); }));
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      const std::vector<double> values = arguments(f, dtype);
      std::printf(" %9.2f", nanoseconds_an_element(x.size(), rounds, [&] { correctly_rounded(f, dtype, values, y); }));
    }
    std::printf("\n");
  }
  std::printf("libm (double, scalar): exp %.2f, log1p %.2f, tanh %.2f, erf %.2f\n",
              of_libm(rounds, [](double v) { return std::exp(v); }),
              of_libm(rounds, [](double v) { return std::log1p(std::abs(v)); }),
              of_libm(rounds, [](double v) { return std::tanh(v); }),
              of_libm(rounds, [](double v) { return std::erf(v); }));
}
