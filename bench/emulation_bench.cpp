// What emulating an elementwise op costs: 2^24 f16 elements, forward, one thread, CPU time. For each op the elements a
// second, and the bytes it reads and writes a second, a saved mask among them, as a share of what memcpy moves in the
// same run.
//
//   emulation_bench [rounds [op ...]]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "run/run.hpp"

namespace {

using namespace fusecheck;

constexpr std::int64_t elements = std::int64_t{1} << 24;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Work>
double median_seconds(int rounds, Work work) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_seconds();
    work();
    seconds.push_back(cpu_seconds() - begin);
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

// Bytes a second, read and written.
double copy_bandwidth(int rounds) {
  std::vector<std::byte> from(2 * elements, std::byte{1}), to(2 * elements);
  const double seconds = median_seconds(rounds, [&] { std::memcpy(to.data(), from.data(), from.size()); });
  return 2 * static_cast<double>(from.size()) / seconds;
}

void measure(const std::string& op, int rounds, double copy) {
  CaseSpec spec;
  spec.op = op;
  spec.shapes[op == "add" ? "a" : "x"] = {1 << 12, 1 << 12};
  if (op == "add") spec.shapes["b"] = {1 << 12, 1 << 12};
  spec.passes = Passes::forward;
  const run::Context context = run::make_context(spec);
  const run::Schedule schedule = run::find_schedule(context, "unfused", {});
  const Tensors inputs = run::draw_inputs(context, DataSet::random, 1, false, {});
  run::EmulatedRun last;
  const double seconds = median_seconds(rounds, [&] {
    run::EmulatedMemo memo(engine::Execution{});
    last = run::run_emulated(context, schedule, inputs, {}, memo);
  });
  double bytes = 0;
  const run::EmulatedRun& moved = last;
  for (const Tensors* tensors : {&inputs, &moved.outputs, &moved.saved}) {
    for (const auto& [name, tensor] : *tensors) bytes += static_cast<double>(tensor.bytes().size());
  }
  std::printf("%-10s %8.1f M elements/s  %5.3f of memcpy\n", op.c_str(), 1e-6 * elements / seconds,
              bytes / seconds / copy);
}

}  // namespace

int main(int count, char** arguments) {
  base::keep_freed_memory();
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 5;
  std::vector<std::string> ops = {"relu",    "add",  "exp",      "log",  "sqrt", "tanh",
                                  "sigmoid", "gelu", "softplus", "silu", "mish", "elu"};
  if (count > 2) ops.assign(arguments + 2, arguments + count);
  const double copy = copy_bandwidth(rounds);
  std::printf("memcpy %.1f GB/s\n", 1e-9 * copy);
  for (const std::string& op : ops) measure(op, rounds, copy);
}
