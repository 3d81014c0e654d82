// Legal kernels of one op: what a developer may do that no verdict may complain about.
#pragma once

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "case.hpp"
#include "wrapping_kernel.hpp"

namespace fusecheck::testing {

// "f64" accumulates in f64 and rounds each sum once; the others are numeric models.
inline const std::vector<std::string>& accumulations() {
  static const std::vector<std::string> names = {"sequential", "reversed", "pairwise", "block16",  "split_k:4",
                                                 "c0:16",      "f64",      "mma:8,24", "mma:16,25"};
  return names;
}

inline bool truncates(const std::string& accumulation) { return accumulation.starts_with("mma"); }

// Which values a kernel rounds on the way.
struct Edges {
  std::string recipe;
  bool training = false;
  std::map<std::string, std::string, std::less<>> rounds = {};  // declared with --round
};

// Every recipe that is not lossy, and each with an inner edge rounded where it keeps it, or kept where it rounds.
inline std::vector<Edges> edges_of(bool has_batch_norm) {
  if (!has_batch_norm) {
    return {
        {"epilogue"}, {"unfused"}, {"epilogue", false, {{"conv", "storage"}}}, {"unfused", false, {{"conv", "keep"}}}};
  }
  return {{"epilogue"},
          {"fold"},
          {"conv_stored"},
          {"dconv_stored"},
          {"conv_saved"},
          {"unfused"},
          {"epilogue", false, {{"conv", "storage"}}},
          {"fold", false, {{"w_folded", "keep"}}},
          {"unfused", false, {{"conv", "keep"}}},
          {"epilogue", true},
          {"conv_stored", true},
          {"unfused", true},
          {"epilogue", true, {{"dconv", "keep"}}}};
}

struct Variation {
  CaseSpec spec;
  DataSet set;
  Edges edges;
  std::string accumulation;
};

// Ragged, with K from 18 to 300 and at least 64 outputs a channel.
inline std::vector<CaseSpec> small_shapes() {
  const auto shape = [](Shape x, std::map<std::string, std::vector<double>> attrs) {
    CaseSpec spec;
    spec.shapes["x"] = std::move(x);
    for (auto& [name, value] : attrs) spec.attrs.set(name, std::move(value));
    return spec;
  };
  return {shape({2, 6, 9, 7}, {{"oc", {5}}}),                                                 // K = 54
          shape({1, 20, 9, 8}, {{"oc", {18}}, {"kernel", {3, 5}}}),                           // K = 300
          shape({2, 8, 7, 6}, {{"oc", {12}}, {"groups", {4}}}),                               // K = 18
          shape({2, 16, 11, 9}, {{"oc", {10}}, {"stride", {2, 1}}, {"pad", {1, 0, 2, 1}}})};  // K = 144
}

// The i-th of `count` runs: edges, accumulation, type and data set in every combination before one repeats, spread
// evenly over any number of runs; each run has a seed of its own.
inline Variation variation_of(const std::string& op, bool has_batch_norm, std::uint64_t i) {
  const std::vector<Edges> edges = edges_of(has_batch_norm);
  const std::vector<CaseSpec> shapes = small_shapes();
  constexpr std::array<DType, 3> dtypes = {DType::f16, DType::bf16, DType::f32};
  constexpr std::array<DataSet, 3> sets = {DataSet::random, DataSet::stress, DataSet::exact};
  const std::uint64_t all = edges.size() * accumulations().size() * dtypes.size() * sets.size();
  std::uint64_t step = all * 5 / 8;
  while (std::gcd(step, all) != 1) ++step;
  std::uint64_t which = i * step % all;
  const auto take = [&](std::size_t size) {
    const std::uint64_t digit = which % size;
    which /= size;
    return static_cast<std::size_t>(digit);
  };
  Variation variation;
  variation.spec = shapes[i % shapes.size()];
  variation.spec.bias = i / shapes.size() % 2 == 1;
  variation.spec.op = op;
  variation.spec.seed = i + 1;
  variation.edges = edges[take(edges.size())];
  variation.accumulation = accumulations()[take(accumulations().size())];
  variation.spec.dtype = dtypes[take(dtypes.size())];
  variation.set = sets[take(sets.size())];
  if (variation.edges.training) variation.spec.attrs.set("bn", {1});
  variation.spec.rounds = variation.edges.rounds;
  if (!variation.edges.rounds.empty()) variation.spec.recipe = variation.edges.recipe;
  return variation;
}

inline run::Schedule schedule_of(const Case& of, const Edges& edges) {
  return run::find_schedule(of.context, edges.recipe, edges.rounds);
}

inline Tensors run_variation(const Case& of, const Edges& edges, const std::string& accumulation) {
  const run::Schedule schedule = schedule_of(of, edges);
  if (accumulation == "f64") return run_wrapped<DoubleAccumulation>(of, schedule);
  return emulate(of, schedule, of.inputs, parse_model(truncates(accumulation) ? accumulation : "ieee/" + accumulation));
}

// Whether the schedule is among those that the report says explain the kernel, whatever the accumulator.
inline bool is_explained_by(const CheckReport& report, const std::string& schedule) {
  const std::vector<std::string>& names = report.sets.front().explained_by;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == schedule || name.starts_with(schedule + " with mma:");
  });
}

}  // namespace fusecheck::testing
