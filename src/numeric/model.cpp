// Numeric models as text: a base name, then options that change one field each.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/numeric_model.hpp"

namespace fusecheck {
namespace {

using base::quoted;
using base::suggestion;

// The message, then a question if one of the known words is near.
[[noreturn]] void usage_error_near(const std::string& message, std::string_view wrong,
                                   const std::vector<std::string>& known) {
  const std::string question = suggestion(wrong, known);
  usage_error(question.empty() ? message : message + "." + question);
}

template <typename Enum>
struct Named {
  std::string_view text;
  Enum value;
};

constexpr std::array<Named<SumKind>, 4> plain_sums = {{{"sequential", SumKind::sequential},
                                                       {"reversed", SumKind::reversed},
                                                       {"pairwise", SumKind::pairwise},
                                                       {"block16", SumKind::block16}}};

constexpr std::array<Named<Rounding>, 6> directions = {{{"nearest_even", Rounding::nearest_even},
                                                        {"nearest_away", Rounding::nearest_away},
                                                        {"toward_zero", Rounding::toward_zero},
                                                        {"up", Rounding::up},
                                                        {"down", Rounding::down},
                                                        {"odd", Rounding::odd}}};

template <typename Enum, std::size_t n>
std::optional<Enum> find_value(const std::array<Named<Enum>, n>& names, std::string_view text) {
  const auto found = std::ranges::find(names, text, &Named<Enum>::text);
  return found == names.end() ? std::nullopt : std::optional(found->value);
}

template <typename Enum, std::size_t n>
std::string_view find_text(const std::array<Named<Enum>, n>& names, Enum value) {
  return std::ranges::find(names, value, &Named<Enum>::value)->text;
}

Rounding parse_direction(std::string_view text, std::string_view whole) {
  if (const auto direction = find_value(directions, text)) return *direction;
  std::vector<std::string> known;
  for (const auto& d : directions) known.emplace_back(d.text);
  usage_error_near("rounding " + quoted(text) + " in model " + quoted(whole) +
                       " is none of nearest_even, nearest_away, toward_zero, up, down, odd",
                   text, known);
}

int parse_in_range(std::string_view text, std::string_view what, int low, int high) {
  const std::int64_t value = base::parse_integer(text, what);
  if (value < low || value > high) {
    usage_error(std::string(what) + " is " + std::to_string(value) + ", outside " + std::to_string(low) + " to " +
                std::to_string(high));
  }
  return static_cast<int>(value);
}

// The measured units align at 2^-131 (V100, F = 23; no product of f16 values reaches it), 2^-132 (A100, F = 24) and
// 2^-133 (H100, F = 25).
int measured_min_exponent(int fraction_bits) { return -108 - fraction_bits; }

// "L,F", with the lowest alignment exponent and the final rounding where they are not the measured ones.
MatrixUnit parse_unit(std::string_view text, std::string_view whole) {
  const std::vector<std::string> parts = base::split(text, ',');
  if (parts.size() < 2 || parts.size() > 4) {
    usage_error("matrix unit " + quoted(text) + " in model " + quoted(whole) +
                " must read L,F: products a step and fraction bits, such as mma:8,24");
  }
  MatrixUnit unit;
  unit.products = parse_in_range(parts[0], "L (products a step) of a matrix unit", 1, 64);
  unit.fraction_bits = parse_in_range(parts[1], "F (fraction bits) of a matrix unit", 8, 40);
  unit.min_exponent = parts.size() > 2 ? parse_in_range(parts[2], "lowest exponent of a matrix unit", -100000, 0)
                                       : measured_min_exponent(unit.fraction_bits);
  unit.final_rounding = parts.size() > 3 ? parse_direction(parts[3], whole) : Rounding::toward_zero;
  return unit;
}

std::string unit_text(const MatrixUnit& unit) {
  std::string text = std::to_string(unit.products) + "," + std::to_string(unit.fraction_bits);
  const bool own_rounding = unit.final_rounding != Rounding::toward_zero;
  if (own_rounding || unit.min_exponent != measured_min_exponent(unit.fraction_bits)) {
    text.append(",").append(std::to_string(unit.min_exponent));
  }
  if (own_rounding) text.append(",").append(find_text(directions, unit.final_rounding));
  return text;
}

std::string sum_text(const SumOrder& sum) {
  if (sum.kind == SumKind::split_k) return "split_k:" + std::to_string(sum.parts);
  if (sum.kind == SumKind::matrix_unit) return "mma:" + unit_text(sum.unit);
  return std::string(find_text(plain_sums, sum.kind));
}

struct Split {
  std::string_view name, argument;
  bool has_argument;
};

Split split_at_colon(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

NumericModel parse_base(std::string_view text, std::string_view whole) {
  NumericModel model;
  model.name = std::string(text);
  if (text == "ieee") return model;
  if (text == "fp16-accumulate") {
    model.accumulate = DType::f16;
    return model;
  }
  if (text == "ascend-a2") {
    model.declared = true;
    return model;
  }
  const auto [name, argument, has_argument] = split_at_colon(text);
  if (name == "mma" && has_argument) {
    model.sum = {.kind = SumKind::matrix_unit, .unit = parse_unit(argument, whole)};
    return model;
  }
  const std::vector<std::string> known = {"ieee", "fp16-accumulate", "mma:8,24", "ascend-a2"};
  usage_error_near("model " + quoted(text) + " is unknown: use ieee, fp16-accumulate, mma:L,F or ascend-a2", text,
                   known);
}

[[noreturn]] void unknown_option(std::string_view option, std::string_view whole) {
  const std::vector<std::string> known = {"sequential", "reversed",      "pairwise",       "block16",
                                          "split_k:4",  "c0:16",         "accumulate:f16", "saturate",
                                          "flush",      "flush_stores",  "mma:8,24",       "store:toward_zero",
                                          "declared",   "operands:hf32", "operands:tf32"};
  usage_error_near("option " + quoted(option) + " of model " + quoted(whole) +
                       " is unknown: use /sequential, /reversed, /pairwise, /block16, /split_k:N, /mma:L,F, /c0:N, "
                       "/accumulate:f16, /operands:hf32, /operands:tf32, /store:ROUNDING, /saturate, /flush_stores, "
                       "/flush or /declared",
                   option, known);
}

DType parse_accumulator(std::string_view text, std::string_view whole) {
  const DType dtype = parse_dtype(text);
  if (dtype == DType::f32 || dtype == DType::f16) return dtype;
  usage_error("accumulate:" + std::string(text) + " in model " + quoted(whole) + " must be f32 or f16");
}

int parse_operands(std::string_view text, std::string_view whole) {
  if (text == "hf32") return 11;
  if (text == "tf32") return 10;
  usage_error("operands:" + std::string(text) + " in model " + quoted(whole) +
              " must be hf32 (11 fraction bits) or tf32 (10, as the Ascend 950's HF32)");
}

void apply_argument_option(NumericModel& model, const Split& option, std::string_view whole) {
  const auto [name, argument, has_argument] = option;
  if (name == "split_k") {
    model.sum.kind = SumKind::split_k;
    model.sum.parts = parse_in_range(argument, "split_k (number of parts)", 1, 1 << 20);
  } else if (name == "mma") {
    model.sum = {.kind = SumKind::matrix_unit, .unit = parse_unit(argument, whole)};
  } else if (name == "c0") {
    model.k_order = KOrder::c1_kh_kw_c0;
    model.c0 = parse_in_range(argument, "c0 (channels of a block)", 1, 1 << 20);
  } else if (name == "accumulate") {
    model.accumulate = parse_accumulator(argument, whole);
  } else if (name == "operands") {
    model.operand_bits = parse_operands(argument, whole);
  } else if (name == "store") {
    model.store.direction = parse_direction(argument, whole);
  } else {
    unknown_option(std::string(name) + ":" + std::string(argument), whole);
  }
}

void apply_option(NumericModel& model, std::string_view text, std::string_view whole) {
  const Split option = split_at_colon(text);
  if (option.has_argument) return apply_argument_option(model, option, whole);
  if (const auto kind = find_value(plain_sums, text)) {
    model.sum.kind = *kind;
  } else if (text == "saturate") {
    model.store.overflow = Overflow::saturate;
  } else if (text == "flush_stores") {
    model.store.subnormals = Subnormals::flush;
  } else if (text == "flush") {
    model.flush_subnormals = true;
  } else if (text == "declared") {
    model.declared = true;
  } else {
    unknown_option(text, whole);
  }
}

}  // namespace

NumericModel parse_model(std::string_view text) {
  const std::vector<std::string> parts = base::split(text, '/');
  NumericModel model = parse_base(parts.front(), text);
  for (std::size_t i = 1; i < parts.size(); ++i) apply_option(model, parts[i], text);
  return model;
}

std::string to_text(const NumericModel& model) {
  const NumericModel base = parse_base(model.name, model.name);
  std::string text = model.name;
  if (model.sum != base.sum) text.append("/").append(sum_text(model.sum));
  if (model.k_order == KOrder::c1_kh_kw_c0) text.append("/c0:").append(std::to_string(model.c0));
  if (model.accumulate != base.accumulate) text.append("/accumulate:").append(name_of(model.accumulate));
  if (model.operand_bits != 0) text.append("/operands:").append(model.operand_bits == 11 ? "hf32" : "tf32");
  if (model.store.direction != Rounding::nearest_even) {
    text.append("/store:").append(find_text(directions, model.store.direction));
  }
  if (model.store.overflow == Overflow::saturate) text += "/saturate";
  if (model.store.subnormals == Subnormals::flush) text += "/flush_stores";
  if (model.flush_subnormals) text += "/flush";
  if (model.declared && !base.declared) text += "/declared";
  return text;
}

std::vector<ModelDescription> list_models() {
  return {
      {"ieee", "f32 accumulation by fused multiply-add, k ascending, bias first; stores to nearest even"},
      {"fp16-accumulate", "as ieee, but every step of a sum of products is one f16 fused multiply-add"},
      {"mma:L,F",
       "a matrix unit adding L products a step, aligned and cut at F fraction bits: V100 mma:4,23, "
       "A100 mma:8,24, H100 mma:16,25 (tf32: mma:4,24 and mma:8,25)"},
      {"ascend-a2", "as ieee; declared, not measured: no source states how the Cube unit rounds its sums"},
      {"/sequential, /reversed, /pairwise, /block16, /split_k:N, /mma:L,F", "option: the order of sums"},
      {"/c0:N", "option: K order c1,kh,kw,c0 of layouts with N channels innermost"},
      {"/accumulate:f16", "option: the accumulator's type"},
      {"/operands:hf32, /operands:tf32",
       "options: a matrix unit rounds its f32 operands to 11 (Ascend 910B) or 10 fraction bits (Ascend 950, TF32)"},
      {"/store:ROUNDING, /saturate, /flush_stores",
       "options: stores round nearest_even, nearest_away, toward_zero, up, "
       "down or odd; stop at the largest value; flush subnormals"},
      {"/flush", "option: f32 results below 2^-126 become 0"},
      {"/declared", "option: says that nobody has measured these parameters"},
  };
}

}  // namespace fusecheck
