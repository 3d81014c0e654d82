// What a check of ConvBnRelu 1x64x56x56 costs, as a multiple of oneDNN's own three f32 convolutions in the same run:
// the whole of it, and of that truth with intervals, the unfused and fused emulation and judging both (the core).
// Besides that a check draws, zeroes dy where any recipe of the op has a kink, judges oneDNN, and checks recipe against
// body and gradients against differences. CPU time, one thread.
//
//   OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive check_bench [rounds [data set [recipe]]]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "fusecheck/check.hpp"
#include "onednn_conv.hpp"

namespace {

using namespace fusecheck;

double cpu_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Row {
  std::string recipe;
  DataSet set;
  std::vector<double> milliseconds = {}, core = {};
  std::map<std::string, std::vector<double>> steps = {};
};

void check_once(Row& row) {
  CheckRequest request;
  request.spec.op = "ConvBnRelu";
  request.spec.shapes["x"] = {1, 64, 56, 56};
  request.spec.recipe = row.recipe;
  request.spec.data = {row.set};
  request.digests = false;  // as for a report in text
  request.clock = cpu_milliseconds;
  const double begin = cpu_milliseconds();
  const CheckReport report = check(request);
  row.milliseconds.push_back(cpu_milliseconds() - begin);
  const auto& steps = report.sets.front().seconds;
  row.core.push_back(steps.at("truth") + steps.at("run") + steps.at("judge"));
  for (const auto& [step, time] : steps) row.steps[step].push_back(time);
  if (report.status != Status::pass)
    std::printf("%s on %s does not pass\n", row.recipe.c_str(), name_of(row.set).c_str());
}

}  // namespace

int main(int count, char** arguments) {
  fusecheck::base::keep_freed_memory();  // as the program does
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 7;
  const engine::Conv2dGeometry geometry = {.n = 1,
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
  std::vector<bench::OnednnConv> third_party;
  for (const engine::Direction direction :
       {engine::Direction::forward, engine::Direction::data_gradient, engine::Direction::weight_gradient}) {
    third_party.push_back(bench::onednn_conv({direction, geometry}));
  }
  std::vector<Row> rows;
  for (const char* recipe : {"epilogue", "fold"}) {
    for (const DataSet set : {DataSet::exact, DataSet::random, DataSet::stress}) {
      const bool wanted =
          (count < 3 || name_of(set) == arguments[2]) && (count < 4 || std::string(recipe) == arguments[3]);
      if (wanted) rows.push_back({recipe, set});
    }
  }
  std::vector<double> onednn;
  for (int round = 0; round < rounds; ++round) {
    const double begin = cpu_milliseconds();
    for (const bench::OnednnConv& conv : third_party) conv.execute();
    onednn.push_back(cpu_milliseconds() - begin);
    for (Row& row : rows) check_once(row);
  }
  std::printf("oneDNN f32, three convolutions: %.2f ms\n", median(onednn));
  for (const Row& row : rows) {
    const double whole = median(row.milliseconds), core = median(row.core), unit = median(onednn);
    std::printf("%-9s %-7s whole %6.1f ms %5.1f times oneDNN, core %6.1f ms %5.1f times;", row.recipe.c_str(),
                name_of(row.set).c_str(), whole, whole / unit, core, core / unit);
    for (const auto& [step, times] : row.steps) std::printf(" %s %.1f", step.c_str(), median(times));
    std::printf("\n");
  }
}
