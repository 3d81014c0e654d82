// Speed of the engine as ratios to oneDNN's f32 kernels in the same run, packing and reorders excluded on both sides.
// Rounds are interleaved: each runs oneDNN and every variant once, so that what disturbs the machine disturbs all.
// Ratios are of CPU time and above 1 where the engine is faster; the last table is of wall time on two threads.
//
//   OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive contraction_bench [rounds] [words that a line must contain ...]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/lowering.hpp"
#include "engine/packed.hpp"
#include "engine/simd.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/philox.hpp"
#include "onednn_conv.hpp"

namespace fusecheck::bench {
namespace {

using namespace engine;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double timed(const std::function<void()>& run, double (*clock)()) {
  const double begin = clock();
  run();
  return clock() - begin;
}
double median(std::vector<double> x) {
  std::ranges::sort(x);
  return x[x.size() / 2];
}

std::vector<float> drawn(const Shape& shape, std::uint64_t seed) {
  const Philox philox(seed, "bench");
  std::vector<float> x(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(round_to(DType::f16, philox.normal(i) + 0.25));
  return x;
}

struct Variant {
  std::string what, path;
  std::function<void()> run;
  double packing_ms = 0;
  std::vector<double> seconds;
};

// Packs now; the variant only runs.
template <class T>
std::function<void()> packed_run(const Contraction& problem, const Arithmetic& arithmetic, const Schedule<T>& schedule,
                                 int threads, double& packing_ms) {
  const std::vector<float> a32 = drawn(problem.a_shape(), 1), b32 = drawn(problem.b_shape(), 2);
  const std::vector<T> a(a32.begin(), a32.end()), b(b32.begin(), b32.end());
  const double begin = cpu_seconds();
  const Lowering lowering = lower(problem, arithmetic.k_order, arithmetic.c0);
  auto packed = std::make_shared<Packed<T>>(pack<T>(lowering, all_rows(lowering), schedule, a, b, {}, 1));
  packing_ms += 1e3 * (cpu_seconds() - begin);
  auto c = std::make_shared<AlignedBuffer<T>>(packed->c_size());
  return [packed, c, threads] { run(*packed, threads, c->data()); };
}

struct Method {
  std::string name;
  Arithmetic arithmetic;
};

std::vector<Method> methods() {
  return {
      {"f32 sequential", {}},
      {"block16", {.sum = {.kind = SumKind::block16}}},
      {"pairwise", {.sum = {.kind = SumKind::pairwise}}},
      {"split_k:4", {.sum = {.kind = SumKind::split_k, .parts = 4}}},
      {"mma:8,24", {.sum = {.kind = SumKind::matrix_unit, .unit = {.products = 8, .fraction_bits = 24}}}},
      {"mma:16,25",
       {.sum = {.kind = SumKind::matrix_unit, .unit = {.products = 16, .fraction_bits = 25, .min_exponent = -133}}}},
      {"f16 accumulation", {.accumulate = DType::f16}},
  };
}

bool selected(const std::string& line, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&](const std::string& word) { return line.find(word) != std::string::npos; });
}

// Those whose line "problem method path" contains every word.
std::vector<Variant> variants_of(const std::string& name, const Contraction& problem, Simd simd,
                                 const std::vector<std::string>& words) {
  const KernelTable& table = kernels_for(simd);
  const std::string path(name_of(simd));
  const auto wanted = [&](const std::string& what) {
    std::string line = name;
    return selected(line.append(" ").append(what).append(" ").append(path), words);
  };
  std::vector<Variant> variants;
  for (const Method& method : methods()) {
    const Schedule<float> schedule = schedule_of(table, method.arithmetic, problem.terms());
    if (!wanted(method.name)) continue;
    Variant v{.what = method.name, .path = path, .run = {}, .seconds = {}};
    v.run = packed_run<float>(problem, method.arithmetic, schedule, 1, v.packing_ms);
    variants.push_back(std::move(v));
  }
  Variant truth{.what = "certified truth: f64 and S", .path = path, .run = {}, .seconds = {}};
  if (!wanted(truth.what)) return variants;
  const auto f64 = packed_run<double>(problem, {}, truth_schedule(table), 1, truth.packing_ms);
  const auto s = packed_run<float>(problem, {}, absolute_schedule(table), 1, truth.packing_ms);
  truth.run = [f64, s] {
    f64();
    s();
  };
  variants.push_back(std::move(truth));
  return variants;
}

struct Problem {
  std::string name;
  Contraction contraction;
};

std::vector<Problem> problems() {
  const Conv2dGeometry small{.n = 1,
                             .c = 64,
                             .h = 56,
                             .w = 56,
                             .oc = 64,
                             .kh = 3,
                             .kw = 3,
                             .pad_top = 1,
                             .pad_left = 1,
                             .pad_bottom = 1,
                             .pad_right = 1};
  const Conv2dGeometry large{.n = 8,
                             .c = 256,
                             .h = 28,
                             .w = 28,
                             .oc = 256,
                             .kh = 3,
                             .kw = 3,
                             .pad_top = 1,
                             .pad_left = 1,
                             .pad_bottom = 1,
                             .pad_right = 1};
  // matmul runs as this: 1024 rows are the pixels.
  const Conv2dGeometry product{.n = 1, .c = 1024, .h = 32, .w = 32, .oc = 1024, .kh = 1, .kw = 1};
  return {
      {"matmul 1024^3", {Direction::forward, product}},
      {"1x64x56x56 forward", {Direction::forward, small}},
      {"1x64x56x56 data gradient", {Direction::data_gradient, small}},
      {"1x64x56x56 weight gradient", {Direction::weight_gradient, small}},
      {"8x256x28x28 forward", {Direction::forward, large}},
      {"8x256x28x28 data gradient", {Direction::data_gradient, large}},
      {"8x256x28x28 weight gradient", {Direction::weight_gradient, large}},
  };
}

void measure(const Problem& problem, int rounds, const std::vector<std::string>& words) {
  std::vector<Variant> variants;
  for (const Simd simd : {Simd::avx512, Simd::avx2}) {
    if (best_simd() < simd) continue;
    for (Variant& v : variants_of(problem.name, problem.contraction, simd, words)) variants.push_back(std::move(v));
  }
  if (variants.empty()) return;
  const OnednnConv onednn = onednn_conv(problem.contraction);
  std::vector<double> reference;
  for (int round = -1; round < rounds; ++round) {
    const double base = timed(onednn.execute, cpu_seconds);
    if (round >= 0) reference.push_back(base);
    for (Variant& v : variants) {
      const double seconds = timed(v.run, cpu_seconds);
      if (round >= 0) v.seconds.push_back(seconds);
    }
  }
  const Conv2dGeometry& g = problem.contraction.geometry;
  const double flop = 2.0 * static_cast<double>(g.n * g.oc * g.oh() * g.ow() * (g.c / g.groups) * g.kh * g.kw);
  const double best = *std::ranges::min_element(reference);
  std::printf("%s: oneDNN %.3f ms median, %.3f best (%.0f GFLOP/s), reorders %.2f ms\n", problem.name.c_str(),
              1e3 * median(reference), 1e3 * best, flop / best * 1e-9, onednn.reorder_ms);
  for (const Variant& v : variants) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < reference.size(); ++i) ratios.push_back(reference[i] / v.seconds[i]);
    std::printf("  %-28s %-7s median %.3f  best %.3f  %9.3f ms  packing %8.2f ms\n", v.what.c_str(), v.path.c_str(),
                median(ratios), best / *std::ranges::min_element(v.seconds), 1e3 * median(v.seconds), v.packing_ms);
  }
  std::fflush(stdout);
}

void measure_two_threads(const Problem& problem, Simd simd) {
  if (best_simd() < simd) return;
  double packing = 0;
  const Schedule<float> schedule = schedule_of(kernels_for(simd), {}, problem.contraction.terms());
  const auto one = packed_run<float>(problem.contraction, {}, schedule, 1, packing);
  const auto two = packed_run<float>(problem.contraction, {}, schedule, 2, packing);
  double best_one = 1e9, best_two = 1e9;
  for (int i = 0; i < 20; ++i) {
    best_one = std::min(best_one, timed(one, wall_seconds));
    best_two = std::min(best_two, timed(two, wall_seconds));
  }
  std::printf("  %-28s %-7s %.3f ms, %.3f ms: %.2f times as fast\n", problem.name.c_str(),
              std::string(name_of(simd)).c_str(), 1e3 * best_one, 1e3 * best_two, best_one / best_two);
}

}  // namespace
}  // namespace fusecheck::bench

int main(int argc, char** argv) {
  using namespace fusecheck;
  setenv("OMP_NUM_THREADS", "1", 0);
  setenv("OMP_WAIT_POLICY", "passive", 0);
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  std::printf("ratio to oneDNN f32, one thread, CPU time, %d interleaved rounds; larger is faster\n", rounds);
  for (const bench::Problem& problem : bench::problems()) bench::measure(problem, rounds, words);
  std::printf("two threads against one, f32 sequential, wall time, best of 20\n");
  for (const bench::Problem& problem : bench::problems()) {
    for (const engine::Simd simd : {engine::Simd::avx512, engine::Simd::avx2}) {
      const std::string line = "two threads " + problem.name + " " + std::string(name_of(simd));
      if (bench::selected(line, words)) bench::measure_two_threads(problem, simd);
    }
  }
  return 0;
}
