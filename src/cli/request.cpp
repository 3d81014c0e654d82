#include "cli/request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>

#include "base/text.hpp"
#include "check/case_info.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"

namespace fusecheck::cli {
namespace {

// Positions of the words are the values; anything else is refused with the list.
std::size_t choice(const Given& given, const std::string& flag, const std::vector<std::string>& words) {
  const std::string& value = given.one(flag);
  const auto found = std::find(words.begin(), words.end(), value);
  if (found == words.end()) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    usage_error(flag + " " + base::quoted(value) + " is none of " + list + base::hint(value, words));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::int64_t count(const Given& given, const std::string& flag, std::int64_t low, std::int64_t high) {
  const std::int64_t value = base::parse_integer(given.one(flag), flag);
  if (value < low || value > high) {
    usage_error(flag + " " + std::to_string(value) + " is outside " + std::to_string(low) + ".." +
                std::to_string(high));
  }
  return value;
}

double limit(const Given& given, const std::string& flag) {
  const double value = base::parse_number(given.one(flag), flag);
  if (!(value >= 0)) usage_error(flag + " " + given.one(flag) + " is negative; a limit is 0 or more");
  return value;
}

std::uint64_t seed(const std::string& text) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    usage_error("--seed " + base::quoted(text) + " is not a whole number from 0 to 2^64-1");
  }
  return value;
}

std::vector<double> numbers(const std::string& text, const std::string& what) {
  const char separator = text.find('x') == std::string::npos ? ',' : 'x';
  std::vector<double> values;
  for (const std::string& part : base::split(text, separator)) values.push_back(base::parse_number(part, what));
  return values;
}

std::pair<std::string, std::string> named(const std::string& flag, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size()) {
    usage_error(flag + " " + base::quoted(text) + " is not NAME=VALUE");
  }
  return {text.substr(0, sign), text.substr(sign + 1)};
}

void set_attribute(CaseSpec& spec, const std::string& name, std::vector<double> value, const std::string& flag) {
  if (spec.attrs.has(name)) usage_error(flag + ": " + name + " is given twice; give it once");
  spec.attrs.set(name, std::move(value));
}

void read_attributes(const Given& given, CaseSpec& spec) {
  for (const std::string name : {"oc", "kernel", "stride", "pad", "dilation", "groups", "eps", "momentum"}) {
    const std::string flag = "--" + name;
    if (!given.has(flag)) continue;
    if (const std::vector<std::string> all = given.all(flag); all.size() > 1) {
      usage_error(flag + " is given " + std::to_string(all.size()) + " times: " + base::quoted(all[0]) + " and " +
                  base::quoted(all[1]) + "; give it once");
    }
    std::vector<double> values = numbers(given.one(flag), flag);
    const bool positive = name != "pad" && name != "eps" && name != "momentum";
    for (const double value : values) {
      const double low = positive ? 1 : 0;
      if (value < low) {
        usage_error(flag + " " + given.one(flag) + ": " + base::number_text(value) + " is below " +
                    base::number_text(low));
      }
    }
    set_attribute(spec, name, std::move(values), flag);
  }
  if (given.has("--bn"))
    set_attribute(spec, "bn", {static_cast<double>(choice(given, "--bn", {"infer", "train"}))}, "--bn");
  for (const std::string& text : given.all("--attr")) {
    const auto [name, value] = named("--attr", text);
    if (name == "bn" && (value == "train" || value == "infer")) {
      set_attribute(spec, name, {value == "train" ? 1.0 : 0.0}, "--attr " + text);
    } else {
      set_attribute(spec, name, numbers(value, "--attr " + name), "--attr " + text);
    }
  }
  spec.bias = given.has("--bias");
}

void read_shapes(const Given& given, CaseSpec& spec, const std::string& main_input) {
  for (const std::string& text : given.all("--shape")) {
    const bool has_name = text.find('=') != std::string::npos;
    const auto [name, dims] = has_name ? named("--shape", text) : std::pair(main_input, text);
    if (!spec.shapes.emplace(name, parse_shape(dims)).second) usage_error("--shape of " + name + " is given twice");
  }
}

void read_dtypes(const Given& given, CommandLine& line) {
  CaseSpec& spec = line.request.spec;
  if (given.has("--param-dtype")) spec.param_dtype = parse_dtype(given.one("--param-dtype"));
  if (!given.has("--dtype")) return;
  for (const std::string& part : base::split(given.one("--dtype"), ',')) {
    if (part.find('=') == std::string::npos) {
      if (line.dtype_given) usage_error("--dtype " + given.one("--dtype") + " names two types for the case");
      spec.dtype = parse_dtype(part);
      line.dtype_given = true;
    } else {
      const auto [name, dtype] = named("--dtype", part);
      if (!spec.tensor_dtypes.emplace(name, parse_dtype(dtype)).second) {
        usage_error("--dtype of " + name + " is given twice");
      }
    }
  }
}

void read_data(const Given& given, CaseSpec& spec) {
  if (!given.has("--data") || given.one("--data") == "all") return;
  spec.data.clear();
  for (const std::string& word : base::split(given.one("--data"), ',')) {
    const DataSet set = parse_data_set(word);
    if (std::find(spec.data.begin(), spec.data.end(), set) != spec.data.end()) {
      usage_error("--data " + given.one("--data") + " names " + word + " twice");
    }
    spec.data.push_back(set);
  }
}

void read_op(const Given& given, CaseSpec& spec) {
  if (given.has("--body")) {
    if (given.has("--op")) usage_error("--op names an op, --body writes one down; give one of them");
    spec.body = canonical_body(given.one("--body"));
    spec.op = "body";
    return;
  }
  if (!given.has("--op")) {
    usage_error("--op is missing, as in --op ConvBnRelu; 'fusecheck list ops' shows all, --body writes one down");
  }
  spec.op = find_op(given.one("--op")).name;
}

void read_case(const Given& given, CommandLine& line) {
  CaseSpec& spec = line.request.spec;
  if (given.has("--case")) {
    for (const Flag& flag : all_flags()) {
      if (flag.case_part && given.has(flag.name)) {
        usage_error("--case says everything about the case; leave out " + flag.name + " or --case");
      }
    }
    spec = parse_case(given.one("--case"));
    line.dtype_given = true;
    line.data_given = spec.data != CaseSpec{}.data;
    if (spec.body.empty()) find_op(spec.op);
    return;
  }
  read_op(given, spec);
  read_shapes(given, spec, main_input(tensor_names(spec)));
  read_attributes(given, spec);
  read_dtypes(given, line);
  read_data(given, spec);
  line.data_given = given.has("--data");
  if (given.has("--seed")) spec.seed = seed(given.one("--seed"));
  if (given.has("--dy")) spec.dy_ones = choice(given, "--dy", {"random", "ones"}) == 1;
  if (given.has("--direction")) {
    constexpr Passes all[] = {Passes::forward, Passes::backward, Passes::both};
    spec.passes = all[choice(given, "--direction", {"fwd", "bwd", "both"})];
  }
  if (given.has("--recipe")) spec.recipe = given.one("--recipe");
  for (const std::string& text : given.all("--round")) {
    const auto [point, rule] = named("--round", text);
    if (rule != "keep" && rule != "storage") parse_dtype(rule);
    if (!spec.rounds.emplace(point, rule).second) usage_error("--round of " + point + " is given twice");
  }
  if (given.has("--model")) {
    spec.model = parse_model(given.one("--model"));
    spec.model_given = true;
  }
}

// Exactly one limit decides; the others are shown beside it.
Tolerance read_tolerance(const Given& given) {
  const bool mixed = given.has("--atol") || given.has("--rtol");
  const int limits = (given.has("--tol") ? 1 : 0) + (mixed ? 1 : 0) + (given.has("--max-ulp") ? 1 : 0);
  if (limits > 1) usage_error("--tol, --atol/--rtol and --max-ulp exclude each other: one limit decides");
  Tolerance tolerance;
  if (given.has("--tol")) return parse_tolerance(given.one("--tol"));
  if (mixed) {
    tolerance.name = "mixed";
    if (given.has("--atol")) tolerance.atol = limit(given, "--atol");
    if (given.has("--rtol")) tolerance.rtol = limit(given, "--rtol");
  }
  if (given.has("--max-ulp")) {
    tolerance.name = "ulp";
    tolerance.max_ulp = count(given, "--max-ulp", 0, std::int64_t{1} << 62);
  }
  return tolerance;
}

// What the kernel's contract says of the case; a flag that says otherwise is refused.
void take_kernel(const KernelChoice& kernel, CommandLine& line) {
  CheckRequest& request = line.request;
  request.kernel = kernel.candidate;
  line.kernel_flags = kernel.flags;
  if (!kernel.contract) return;
  if (const std::optional<std::string> why = plugin::mismatch(*kernel.contract, request.spec)) usage_error(*why);
  plugin::declare(*kernel.contract, request.spec);
  if (request.spec.passes == Passes::backward) request.kernel_reads = kernel.contract->saved;
}

}  // namespace

CommandLine read_command_line(const Given& given, const KernelChoice& kernel) {
  CommandLine line;
  CheckRequest& request = line.request;
  read_case(given, line);
  request.judge.tolerance = read_tolerance(given);
  request.judge.top = 5;
  if (given.has("--top")) request.judge.top = static_cast<int>(count(given, "--top", 0, 1000));
  if (given.has("--max-diff")) request.max_diff = limit(given, "--max-diff");
  request.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 256U));
  if (given.has("--threads")) request.threads = static_cast<int>(count(given, "--threads", 1, 256));
  if (given.has("--simd")) {
    const std::vector<std::string> paths = {"auto", "scalar", "avx2", "avx512"};
    request.simd = paths[choice(given, "--simd", paths)];
  }
  line.inputs = given.all("--input");
  line.actual = given.all("--actual");
  for (const std::string& text : given.all("--require")) {
    for (const std::string& name : base::split(text, ',')) request.require.push_back(name);
  }
  for (const char* flag : {"--exec", "--exec-batch", "--plugin", "--timeout", "--repeat", "--target"}) {
    if (given.has(flag) && !kernel.candidate)
      usage_error(std::string(flag) + " runs a kernel, and nothing is run here");
  }
  if (kernel.candidate && !line.actual.empty()) {
    usage_error("--actual and a kernel that is run exclude each other: one of them is judged");
  }
  if (!request.require.empty() && line.actual.empty() && !kernel.candidate) {
    usage_error("--require names outputs of a kernel: give them with --actual, or run it with --exec");
  }
  take_kernel(kernel, line);
  if (given.has("--save")) line.save = given.one("--save");
  request.keep_tensors = line.save.has_value();
  line.json = given.has("--json");
  request.digests = line.json;  // nothing else shows them
  if (line.inputs.empty() && line.actual.empty()) return line;
  // Files hold one data set: what is not given is drawn from `random`.
  if (!line.data_given) request.spec.data = {DataSet::random};
  if (!line.actual.empty() && request.spec.data.size() != 1) {
    usage_error("--actual holds the outputs for one data set: name it, as in --data random");
  }
  return line;
}

std::string repro_command(const CommandLine& line) {
  std::string command = "fusecheck --case '" + to_line(line.request.spec) + "'";
  for (const std::string& input : line.inputs) command += " --input " + base::shell_word(input);
  for (const std::string& actual : line.actual) command += " --actual " + base::shell_word(actual);
  for (const std::string& name : line.request.require) command += " --require " + base::shell_word(name);
  command += line.kernel_flags;
  const Tolerance& tolerance = line.request.judge.tolerance;
  if (tolerance != Tolerance{}) command += " --tol " + to_text(tolerance);
  if (line.request.max_diff) command += " --max-diff " + base::number_text(*line.request.max_diff);
  if (line.request.simd != "auto") command += " --simd " + line.request.simd;
  return command;
}

}  // namespace fusecheck::cli
