// Names and parameters of the number formats.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/error.hpp"
#include "numeric/binary64.hpp"

namespace fusecheck {
namespace {

struct DTypeRow {
  std::string_view name;
  std::size_t size;
  FormatInfo format;  // precision 0: an integer type
};

// In the order of the enumerators. Parameters: IEEE 754-2019 table 3.5; bf16 is f32 cut to 8 significand bits.
constexpr std::array<DTypeRow, 8> rows = {{
    {"f64", 8, {53, 1023, -1022}},
    {"f32", 4, {24, 127, -126}},
    {"f16", 2, {11, 15, -14}},
    {"bf16", 2, {8, 127, -126}},
    {"i64", 8, {}},
    {"i32", 4, {}},
    {"u8", 1, {}},
    {"bool", 1, {}},
}};

struct Alias {
  std::string_view text;
  DType dtype;
};

// What numpy, PyTorch, ONNX and C call them.
constexpr std::array<Alias, 24> aliases = {{
    {"f64", DType::f64},    {"fp64", DType::f64},     {"float64", DType::f64},   {"double", DType::f64},
    {"f32", DType::f32},    {"fp32", DType::f32},     {"float32", DType::f32},   {"float", DType::f32},
    {"single", DType::f32}, {"f16", DType::f16},      {"fp16", DType::f16},      {"float16", DType::f16},
    {"half", DType::f16},   {"bf16", DType::bf16},    {"bfloat16", DType::bf16}, {"i64", DType::i64},
    {"int64", DType::i64},  {"i32", DType::i32},      {"int32", DType::i32},     {"u8", DType::u8},
    {"uint8", DType::u8},   {"bool", DType::boolean}, {"bool_", DType::boolean}, {"boolean", DType::boolean},
}};

const DTypeRow& row_of(DType dtype) { return rows[static_cast<std::size_t>(dtype)]; }

}  // namespace

bool is_floating(DType dtype) { return row_of(dtype).format.precision != 0; }

std::size_t size_of(DType dtype) { return row_of(dtype).size; }

std::string_view name_of(DType dtype) { return row_of(dtype).name; }

const FormatInfo& format_of(DType dtype) {
  if (!is_floating(dtype)) internal_error("format_of(" + std::string(name_of(dtype)) + "): not a floating-point type");
  return row_of(dtype).format;
}

DType parse_dtype(std::string_view text) {
  const auto found = std::ranges::find(aliases, text, &Alias::text);
  if (found != aliases.end()) return found->dtype;
  std::string list;
  std::vector<std::string> known;
  for (const DTypeRow& row : rows) {
    known.emplace_back(row.name);
    list.append(list.empty() ? "" : ", ").append(row.name);
  }
  const std::string question = base::suggestion(text, known);
  usage_error("dtype " + base::quoted(text) + " is unknown: use one of " + list +
              (question.empty() ? "" : "." + question));
}

double largest_finite(DType format) {
  const FormatInfo& f = format_of(format);
  return (2.0 - numeric::power_of_two(1 - f.precision)) * numeric::power_of_two(f.emax);
}

double smallest_normal(DType format) { return numeric::power_of_two(format_of(format).emin); }

double smallest_subnormal(DType format) {
  const FormatInfo& f = format_of(format);
  return numeric::power_of_two(f.emin - f.precision + 1);
}

double unit_roundoff(DType format) { return numeric::power_of_two(-format_of(format).precision); }

}  // namespace fusecheck
