#include "suite/fields.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "check/case_info.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"

namespace fusecheck::suite {
namespace {

using Set = std::function<void(CaseSpec&, const std::string&)>;
using Has = std::function<bool(const CaseSpec&, const CaseSpec&)>;

struct Field {
  std::string name;
  Set set;
  Has has;
};

std::size_t choice(const std::string& what, const std::string& text, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    usage_error(what + ": " + base::quoted(text) + " is none of " + base::join(words, ", ") + base::hint(text, words));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::pair<std::string, std::string> named(const std::string& what, const std::string& text, char sign) {
  const std::size_t at = text.find(sign);
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    usage_error(what + ": " + base::quoted(text) + " is not NAME" + sign + "VALUE");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<double> numbers(const std::string& name, const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : base::split(text, 'x')) values.push_back(base::parse_number(part, name));
  return values;
}

void set_op(CaseSpec& spec, const std::string& text) { spec.op = find_op(text).name; }

void set_dtype(CaseSpec& spec, const std::string& text) {
  const std::vector<std::string> parts = base::split(text, ',');
  spec.dtype = parse_dtype(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto [tensor, dtype] = named("dtype", parts[i], '=');
    spec.tensor_dtypes[tensor] = parse_dtype(dtype);
  }
}

// "1x64x56x56", or "x=1x64x56x56,w=20x64x3x3".
void set_shape(CaseSpec& spec, const std::string& text) {
  if (text.find('=') == std::string::npos) {
    spec.shapes["x"] = parse_shape(text);
    return;
  }
  for (const std::string& part : base::split(text, ',')) {
    const auto [tensor, dims] = named("shape", part, '=');
    spec.shapes[tensor] = parse_shape(dims);
  }
}

void set_seed(CaseSpec& spec, const std::string& text) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), spec.seed);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    usage_error("seed: " + base::quoted(text) + " is not a whole number from 0 to 2^64-1");
  }
}

void set_data(CaseSpec& spec, const std::string& text) {
  spec.data.clear();
  if (text == "all") {
    spec.data = CaseSpec{}.data;
    return;
  }
  for (const std::string& part : base::split(text, '+')) {
    const DataSet set = parse_data_set(part);
    if (std::find(spec.data.begin(), spec.data.end(), set) != spec.data.end()) {
      usage_error("data: " + base::quoted(text) + " names " + part + " twice");
    }
    spec.data.push_back(set);
  }
}

void set_round(CaseSpec& spec, const std::string& text) {
  for (const std::string& part : base::split(text, ',')) {
    const auto [point, rule] = named("round", part, ':');
    if (rule != "keep" && rule != "storage") parse_dtype(rule);
    spec.rounds[point] = rule;
  }
}

template <class Map>
bool contains_all(const Map& map, const Map& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto found = map.find(entry.first);
    return found != map.end() && found->second == entry.second;
  });
}

// Attributes are f32 values (NUMERICS.md J1).
bool same_numbers(std::vector<double> a, std::vector<double> b) {
  const std::size_t size = std::max(a.size(), b.size());
  for (std::vector<double>* list : {&a, &b}) {
    if (list->size() == 1) list->resize(size, list->front());
    if (list->size() == 2 && size == 4) list->insert(list->end(), {(*list)[0], (*list)[1]});
  }
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return static_cast<float>(x) == static_cast<float>(y); });
}

Field attribute(const std::string& name) {
  return {name, [name](CaseSpec& spec, const std::string& text) { spec.attrs.set(name, numbers(name, text)); },
          [name](const CaseSpec& spec, const CaseSpec& wanted) {
            return spec.attrs.has(name) && same_numbers(spec.attrs.list(name), wanted.attrs.list(name));
          }};
}

std::vector<Field> own_fields() {
  const std::vector<std::string> passes = {"fwd", "bwd", "both"};
  return {
      {"op", set_op, [](const CaseSpec& a, const CaseSpec& b) { return a.op == b.op; }},
      {"dtype", set_dtype,
       [](const CaseSpec& a, const CaseSpec& b) {
         return a.dtype == b.dtype && contains_all(a.tensor_dtypes, b.tensor_dtypes);
       }},
      {"param_dtype", [](CaseSpec& spec, const std::string& text) { spec.param_dtype = parse_dtype(text); },
       [](const CaseSpec& a, const CaseSpec& b) { return a.param_dtype == b.param_dtype; }},
      {"shape", set_shape, [](const CaseSpec& a, const CaseSpec& b) { return contains_all(a.shapes, b.shapes); }},
      {"bias",
       [](CaseSpec& spec, const std::string& text) {
         spec.bias = choice("bias", text, {"false", "true"}) == 1;
       },
       [](const CaseSpec& a, const CaseSpec& b) { return a.bias == b.bias; }},
      {"bn",
       [](CaseSpec& spec, const std::string& text) {
         spec.attrs.set("bn", {static_cast<double>(choice("bn", text, {"infer", "train"}))});
       },
       [](const CaseSpec& a, const CaseSpec& b) {
         return a.attrs.has("bn") && a.attrs.list("bn") == b.attrs.list("bn");
       }},
      {"direction",
       [passes](CaseSpec& spec, const std::string& text) {
         constexpr Passes values[] = {Passes::forward, Passes::backward, Passes::both};
         spec.passes = values[choice("direction", text, passes)];
       },
       [](const CaseSpec& a, const CaseSpec& b) { return a.passes == b.passes; }},
      {"data", set_data, [](const CaseSpec& a, const CaseSpec& b) { return a.data == b.data; }},
      {"seed", set_seed, [](const CaseSpec& a, const CaseSpec& b) { return a.seed == b.seed; }},
      {"dy",
       [](CaseSpec& spec, const std::string& text) {
         spec.dy_ones = choice("dy", text, {"random", "ones"}) == 1;
       },
       [](const CaseSpec& a, const CaseSpec& b) { return a.dy_ones == b.dy_ones; }},
      {"recipe", [](CaseSpec& spec, const std::string& text) { spec.recipe = text; },
       [](const CaseSpec& a, const CaseSpec& b) { return a.recipe == b.recipe; }},
      {"round", set_round, [](const CaseSpec& a, const CaseSpec& b) { return contains_all(a.rounds, b.rounds); }},
      {"model",
       [](CaseSpec& spec, const std::string& text) {
         spec.model = parse_model(text);
         spec.model_given = true;
       },
       [](const CaseSpec& a, const CaseSpec& b) { return a.model == b.model; }},
  };
}

const std::vector<Field>& all_fields() {
  static const std::vector<Field> fields = [] {
    std::vector<Field> list = own_fields();
    std::set<std::string> attributes;
    for (const OpDef& op : all_ops()) {
      for (const AttrSpec& spec : attributes_of(op)) attributes.insert(spec.name);
    }
    attributes.erase("bn");  // a word, not a number
    for (const std::string& name : attributes) list.push_back(attribute(name));
    return list;
  }();
  return fields;
}

const Field& field(const std::string& name) {
  for (const Field& one : all_fields()) {
    if (one.name == name) return one;
  }
  internal_error("no field of a case is called " + name);
}

}  // namespace

const std::vector<std::string>& field_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Field& one : all_fields()) list.push_back(one.name);
    return list;
  }();
  return names;
}

void set_field(CaseSpec& spec, const std::string& name, const std::string& text) { field(name).set(spec, text); }

bool has_field(const CaseSpec& spec, const CaseSpec& wanted, const std::string& name) {
  return field(name).has(spec, wanted);
}

}  // namespace fusecheck::suite
