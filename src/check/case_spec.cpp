// The case line, grammar case/1 (docs/case-line.md):
//
//   OP/DTYPES/SHAPES[/ATTRIBUTES][/DATA][/s SEED][/fwd|bwd][/dy=ones][/recipe=R][/round=P:T,...][/model=M]
//   ConvBnRelu/f16,gamma=f16/x=1x64x56x56,w=20x64x3x3/bias,bn=train,stride=2x1/exact+random/s7/recipe=fold
//
// In place of OP, "body:" and the statements of a body that the user wrote: c=conv2d:x:w:kernel=1x1+y=relu:c
// Parts at their default are left out, so equal cases have equal lines. The slash of a model's text is written '+'.
#include "fusecheck/case_spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "graph/own_op.hpp"

namespace fusecheck {
namespace {

constexpr std::array<std::pair<DataSet, std::string_view>, 3> data_set_names = {
    {{DataSet::exact, "exact"}, {DataSet::random, "random"}, {DataSet::stress, "stress"}}};

constexpr std::string_view body_prefix = "body:";

[[noreturn]] void refuse(std::string_view line, const std::string& why) {
  usage_error("case " + base::quoted(line) + ": " + why);
}

std::string replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string attribute_text(const std::string& name, const std::vector<double>& value) {
  if (name == "bn" && value == std::vector<double>{1}) return "bn=train";
  if (name == "bn" && value == std::vector<double>{0}) return "bn=infer";
  std::string text = name + "=";
  for (std::size_t i = 0; i < value.size(); ++i) text += (i > 0 ? "x" : "") + base::number_text(value[i]);
  return text;
}

void append(std::string& list, const std::string& item, char separator) {
  if (!list.empty()) list += separator;
  list += item;
}

std::string dtypes_text(const CaseSpec& spec) {
  std::string text(name_of(spec.dtype));
  if (spec.param_dtype) text += ",param=" + std::string(name_of(*spec.param_dtype));
  for (const auto& [name, dtype] : spec.tensor_dtypes) text += "," + name + "=" + std::string(name_of(dtype));
  return text;
}

// Reads one line; each member takes one part of it.
class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line) {}

  CaseSpec read() {
    const std::vector<std::string> parts = base::split(line_, '/');
    if (parts.size() < 3) refuse(line_, "needs at least OP/DTYPE/x=DIMS, as in ConvBnRelu/f16/x=1x64x56x56");
    if (parts[0].starts_with(body_prefix)) {
      spec_.op = graph::own_op_name;
      spec_.body = graph::to_text(graph::parse_body(graph::decoded(parts[0].substr(body_prefix.size()))));
    } else {
      if (!is_name(parts[0])) refuse(line_, base::quoted(parts[0]) + " is not the name of an op");
      spec_.op = parts[0];
    }
    read_dtypes(parts[1]);
    read_shapes(parts[2]);
    for (std::size_t i = 3; i < parts.size(); ++i) read_option(parts[i], i == 3);
    return std::move(spec_);
  }

 private:
  std::pair<std::string, std::string> named(const std::string& text, char sign) const {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos || !is_name(text.substr(0, at)) || at + 1 == text.size()) {
      refuse(line_, base::quoted(text) + " is not NAME" + sign + "VALUE");
    }
    return {text.substr(0, at), text.substr(at + 1)};
  }

  void once(bool fresh, const std::string& name) const {
    if (!fresh) refuse(line_, base::quoted(name) + " is there twice");
  }

  void read_dtypes(const std::string& text) {
    const std::vector<std::string> parts = base::split(text, ',');
    spec_.dtype = parse_dtype(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto [name, value] = named(parts[i], '=');
      if (name == "param") {
        once(!spec_.param_dtype, name);
        spec_.param_dtype = parse_dtype(value);
      } else {
        once(spec_.tensor_dtypes.emplace(name, parse_dtype(value)).second, name);
      }
    }
  }

  void read_shapes(const std::string& text) {
    for (const std::string& part : base::split(text, ',')) {
      const auto [name, value] = named(part, '=');
      once(spec_.shapes.emplace(name, parse_shape(value)).second, name);
    }
  }

  void read_attributes(const std::string& text) {
    for (const std::string& part : base::split(text, ',')) {
      if (part == "bias") {
        once(!spec_.bias, part);
        spec_.bias = true;
        continue;
      }
      const auto [name, value] = named(part, '=');
      once(!spec_.attrs.has(name), name);
      std::vector<double> numbers;
      if (name == "bn" && (value == "train" || value == "infer")) {
        numbers = {value == "train" ? 1.0 : 0.0};
      } else {
        for (const std::string& number : base::split(value, 'x')) {
          numbers.push_back(base::parse_number(number, "case attribute " + name));
        }
      }
      spec_.attrs.set(name, std::move(numbers));
    }
  }

  void read_data(const std::string& text) {
    spec_.data.clear();
    for (const std::string& part : base::split(text, '+')) {
      const DataSet set = parse_data_set(part);
      once(std::find(spec_.data.begin(), spec_.data.end(), set) == spec_.data.end(), part);
      spec_.data.push_back(set);
    }
  }

  void read_rounds(const std::string& text) {
    for (const std::string& part : base::split(text, ',')) {
      auto [point, rule] = named(part, ':');
      once(spec_.rounds.emplace(std::move(point), std::move(rule)).second, part);
    }
  }

  static bool is_data(const std::string& text) {
    const std::string first = base::split(text, '+')[0];
    return std::any_of(data_set_names.begin(), data_set_names.end(), [&](const auto& n) { return n.second == first; });
  }

  static bool is_seed(const std::string& text) {
    return text.size() > 1 && text[0] == 's' &&
           std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  void read_seed(const std::string& digits) {
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), spec_.seed);
    if (result.ec != std::errc{}) refuse(line_, "seed " + digits + " is above 2^64-1");
  }

  void read_option(const std::string& text, bool attributes_may_stand_here) {
    const std::size_t sign = text.find('=');
    const std::string key = text.substr(0, sign);
    const std::string value = sign == std::string::npos ? "" : text.substr(sign + 1);
    const bool option = !value.empty() && (key == "dy" || key == "recipe" || key == "round" || key == "model");
    const bool pass = text == "fwd" || text == "bwd";
    const std::string kind = is_data(text) ? "data" : is_seed(text) ? "seed" : pass ? "direction" : option ? key : "";
    if (kind.empty()) {
      if (!attributes_may_stand_here) {
        refuse(line_, base::quoted(text) + " is none of DATA, sSEED, fwd, bwd, dy=ones, recipe=, round=, model=");
      }
      return read_attributes(text);
    }
    once(std::find(seen_.begin(), seen_.end(), kind) == seen_.end(), kind);
    seen_.push_back(kind);
    if (kind == "data") return read_data(text);
    if (kind == "seed") return read_seed(text.substr(1));
    if (kind == "direction") {
      spec_.passes = text == "fwd" ? Passes::forward : Passes::backward;
    } else if (kind == "dy") {
      if (value != "ones") refuse(line_, "dy=" + value + ": only dy=ones is written; random is the default");
      spec_.dy_ones = true;
    } else if (kind == "recipe") {
      spec_.recipe = value;
    } else if (kind == "round") {
      read_rounds(value);
    } else {
      spec_.model = parse_model(replaced(value, '+', '/'));
      spec_.model_given = true;
    }
  }

  std::string_view line_;
  CaseSpec spec_;
  std::vector<std::string> seen_;
};

}  // namespace

std::string name_of(DataSet set) {
  for (const auto& [value, name] : data_set_names) {
    if (value == set) return std::string(name);
  }
  internal_error("a data set without a name");
}

DataSet parse_data_set(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& [value, name] : data_set_names) {
    if (name == text) return value;
    names.emplace_back(name);
  }
  usage_error("unknown data set " + base::quoted(text) + "; there are exact, random, stress" + base::hint(text, names));
}

std::string to_line(const CaseSpec& spec) {
  static const CaseSpec fresh;
  const std::string op = spec.body.empty() ? spec.op : std::string(body_prefix) + graph::encoded(spec.body);
  std::string line = op + "/" + dtypes_text(spec) + "/";
  std::string shapes;
  for (const auto& [name, shape] : spec.shapes) append(shapes, name + "=" + to_text(shape), ',');
  line += shapes;

  std::string attributes = spec.bias ? "bias" : "";
  for (const auto& [name, value] : spec.attrs.all()) append(attributes, attribute_text(name, value), ',');
  if (!attributes.empty()) line += "/" + attributes;

  if (spec.data != fresh.data) {
    std::string data;
    for (const DataSet set : spec.data) append(data, name_of(set), '+');
    line += "/" + data;
  }
  if (spec.seed != fresh.seed) line += "/s" + std::to_string(spec.seed);
  if (spec.passes != fresh.passes) line += spec.passes == Passes::forward ? "/fwd" : "/bwd";
  if (spec.dy_ones) line += "/dy=ones";
  if (!spec.recipe.empty()) line += "/recipe=" + spec.recipe;
  if (!spec.rounds.empty()) {
    std::string rounds;
    for (const auto& [point, rule] : spec.rounds) append(rounds, point + ":" + rule, ',');
    line += "/round=" + rounds;
  }
  if (spec.model_given || spec.model != fresh.model) line += "/model=" + replaced(to_text(spec.model), '/', '+');
  return line;
}

CaseSpec parse_case(std::string_view line) { return Reader(line).read(); }

}  // namespace fusecheck
