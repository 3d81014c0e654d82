// Prints one line per output of every op, to compare the bits of builds, machines, SIMD paths and thread counts:
//
//   OP DTYPE MODE RECIPE[@MODEL] DATA OUTPUT SHA256     of the emulated output's payload
//   OP DTYPE MODE RECIPE[@MODEL] DATA OUTPUT.truth ...  of truth, both ends of its interval, and how they came about
//   OP DTYPE MODE - DATA inputs SHA256                  of all that was drawn
//   FUNCTION function - - random DTYPE SHA256           of evaluate (f64) and correctly_rounded
//   OP DTYPE MODE RECIPE[@MODEL] DATA * SHA256          of the lines above it, for hashes.txt
//
// Usage: fusecheck_hashes [--simd scalar|avx2|avx512] [--threads N]; --paths names the SIMD paths of this machine.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "check/stage.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/functions.hpp"
#include "fusecheck/philox.hpp"
#include "fusecheck/registry.hpp"
#include "numeric/functions_dispatch.hpp"
#include "run/run.hpp"

namespace fusecheck {
namespace {

// The orders, accumulators and stores that exist, on one contraction and on one fused op.
constexpr const char* models[] = {"ieee/reversed", "ieee/pairwise",   "ieee/block16",   "ieee/split_k:4", "ieee/c0:4",
                                  "ieee/flush",    "ieee/saturate",   "ieee/store:odd", "mma:8,24",       "mma:16,25",
                                  "mma:4,23",      "fp16-accumulate", "ascend-a2"};

// Ragged on purpose: no size is a multiple of a vector, a tile or a block. `deep` sums 603 products, more than any
// block of K holds.
CaseSpec spec_with(const OpDef& op, const Shape& first, DType dtype, bool training, bool deep, bool ragged = true) {
  CaseSpec spec;
  spec.op = op.name;
  spec.dtype = dtype;
  const graph::Interface interface = graph::interface_of(op);
  spec.shapes[interface.inputs.front().name] = first;
  const auto set = [&](const char* name, std::vector<double> value) {
    for (const AttrSpec& attr : interface.attrs) {
      if (attr.name == name) spec.attrs.set(name, std::move(value));
    }
  };
  if (ragged) {
    set("oc", {deep ? 5.0 : 6.0});
    set("kernel", deep ? std::vector<double>{3, 3} : std::vector<double>{3, 2});
  }
  if (ragged && !deep) {
    set("groups", {2});
    set("stride", {2, 1});
    set("pad", {1, 0, 2, 1});
    set("dilation", {1, 2});
  }
  set("bn", {training ? 1.0 : 0.0});
  for (const Port& port : interface.inputs) spec.bias = spec.bias || (port.name == "b" && port.optional);
  return spec;
}

// The first of these shapes that the op takes, with geometry of a convolution where it has any.
CaseSpec spec_of(const OpDef& op, DType dtype, bool training, bool deep) {
  if (deep) return spec_with(op, {1, 67, 5, 7}, dtype, training, deep);
  const std::vector<Shape> shapes = {{2, 6, 7, 11}, {2, 6, 7, 10}, {2, 6, 7}, {6, 7}, {7}, {2, 6, 3, 5, 7}};
  for (const bool ragged : {true, false}) {
    for (const Shape& shape : shapes) {
      CaseSpec spec = spec_with(op, shape, dtype, training, deep, ragged);
      try {
        run::make_context(spec);
        return spec;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
      }
    }
  }
  internal_error(op.name + " takes none of the shapes that are tried here: add one");
}

std::string sha256_of(const std::vector<double>& values) {
  return sha256(Tensor::from(DType::f64, {static_cast<std::int64_t>(values.size())}, values));
}

// Everything that judging rests on, half-widths and calibration included.
std::string sha256_of(const Expected& e) {
  std::vector<double> all = {e.typical, e.typical_bias, e.typical_rms, e.rigorous};
  for (const auto* part : {&e.truth, &e.low, &e.high, &e.exact, &e.half_width}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return sha256_of(all);
}

void print_group(const std::string& head, const std::vector<std::pair<std::string, std::string>>& hashes) {
  std::string lines;
  for (const auto& [output, hash] : hashes) lines += head + output + " " + hash + "\n";
  const std::string total = base::sha256_hex(std::as_bytes(std::span(lines)));
  std::printf("%s%s* %s\n", lines.c_str(), head.c_str(), total.c_str());
}

void print_schedule(const run::Context& context, const run::Schedule& schedule, const Tensors& inputs,
                    const NumericModel& model, const engine::Execution& execution, const std::string& head) {
  std::vector<std::pair<std::string, std::string>> hashes;
  run::EmulatedMemo emulated(execution);
  const run::EmulatedRun run = run::run_emulated(context, schedule, inputs, model, emulated);
  for (const auto& [name, tensor] : run.outputs) hashes.emplace_back(name, sha256(tensor));
  for (const auto& [name, tensor] : run.saved) hashes.emplace_back("saved." + name, sha256(tensor));
  run::Memo memo(execution);
  const run::TruthRun truth = run::run_truth(context, schedule, inputs, truth_options(model), memo, context.backward);
  for (const auto& [name, expected] : truth.outputs) hashes.emplace_back(name + ".truth", sha256_of(expected));
  print_group(head, hashes);
}

void print_inputs(const Tensors& inputs, const std::string& head) {
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const auto& [name, tensor] : inputs) hashes.emplace_back("inputs." + name, sha256(tensor));
  print_group(head, hashes);
}

bool has_batch_norm(const OpDef& op) {
  for (const AttrSpec& attr : graph::interface_of(op).attrs) {
    if (attr.name == "bn") return true;
  }
  return false;
}

void print_ops(const engine::Execution& execution) {
  for (const OpDef& op : all_ops()) {
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      for (const bool training : {false, true}) {
        if (training && !has_batch_norm(op)) continue;
        for (const DataSet set : {DataSet::exact, DataSet::random, DataSet::stress}) {
          const CaseSpec spec = spec_of(op, dtype, training, false);
          const run::Context context = run::make_context(spec, set == DataSet::exact);
          const Tensors inputs = run::draw_inputs(context, set, spec.seed, false, {});
          const std::string head = op.name + " " + std::string(name_of(dtype)) + (training ? " train " : " infer ");
          print_inputs(inputs, head + "- " + name_of(set) + " ");
          for (const run::Schedule& schedule : run::schedules_of(context, true)) {
            print_schedule(context, schedule, inputs, NumericModel{}, execution,
                           head + schedule.name + " " + name_of(set) + " ");
          }
        }
      }
    }
  }
}

void print_models(const engine::Execution& execution) {
  for (const bool deep : {false, true}) {
    const OpDef& op = find_op(deep ? "conv2d" : "ConvBnRelu");
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      const CaseSpec spec = spec_of(op, dtype, false, deep);
      const run::Context context = run::make_context(spec);
      const Tensors inputs = run::draw_inputs(context, DataSet::random, spec.seed, false, {});
      const run::Schedule schedule = run::find_schedule(context, "", {});
      for (const char* model : models) {
        print_schedule(context, schedule, inputs, parse_model(model), execution,
                       op.name + " " + std::string(name_of(dtype)) + (deep ? " deep " : " infer ") + schedule.name +
                           "@" + model + " random ");
      }
    }
  }
}

// Any double, and numbers where the functions vary. evaluate by the path's instructions, correctly_rounded as it runs.
void print_functions(const std::string& path) {
  const Philox stream(1, "functions");
  std::vector<double> x;
  for (std::uint64_t i = 0; i < 32768; ++i) {
    const PhiloxBlock block = stream.block(i);
    x.push_back(value_of(DType::f64, (std::uint64_t{block[0]} << 32) | block[1]));
    x.push_back(8 * stream.normal(i));
  }
  std::vector<double> narrow(x.size()), y(x.size());
  for (const Function function : all_functions()) {
    std::vector<std::pair<std::string, std::string>> hashes;
    for (int i = 0; i < numeric::function_level_count; ++i) {
      const numeric::FunctionLevel& level = numeric::function_level(i);
      if (path != level.name && !(path == "scalar" && i == 0)) continue;
      level.loops()[static_cast<std::size_t>(function)](x.data(), y.data(), x.size());
      hashes.emplace_back("f64", sha256_of(y));
    }
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      round_to(dtype, std::span<const double>(x), std::span<double>(narrow));
      correctly_rounded(function, dtype, narrow, y);
      hashes.emplace_back(name_of(dtype), sha256_of(y));
    }
    print_group(std::string(name_of(function)) + " function - - random ", hashes);
  }
}

void print_paths() {
  for (const char* path : {"scalar", "avx2", "avx512"}) {
    try {
      engine::parse_simd(path);
      std::puts(path);
    } catch (const Error&) {  // this CPU lacks it
    }
  }
}

void run_main(const std::vector<std::string>& arguments) {
  engine::Execution execution;
  std::string path = "scalar";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--paths") return print_paths();
    if (i + 1 == arguments.size()) usage_error(arguments[i] + " needs a value");
    if (arguments[i] == "--simd") {
      path = arguments[++i];
      execution.simd = engine::parse_simd(path);
    } else if (arguments[i] == "--threads") {
      execution.threads = std::atoi(arguments[++i].c_str());
    } else {
      usage_error("unknown argument " + arguments[i]);
    }
  }
  print_ops(execution);
  print_models(execution);
  print_functions(path);
}

}  // namespace
}  // namespace fusecheck

int main(int argc, char** argv) {
  try {
    fusecheck::run_main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fusecheck_hashes: %s\n", error.what());
    return 70;
  }
}
