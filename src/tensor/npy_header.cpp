#include "tensor/npy_header.hpp"

#include <charconv>
#include <optional>
#include <system_error>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::tensor {
namespace {

// numpy 2 allows 64 dimensions, earlier ones 32.
constexpr std::size_t most_dimensions = 64;

// The few forms of a Python literal that a header holds. Every function consumes what it reads from `rest`.
struct Parser {
  std::string_view rest;
  const std::string& file;

  [[noreturn]] void refuse(const std::string& problem) const {
    usage_error(file + ": malformed .npy header: " + problem + "; save the array again with numpy.save");
  }

  void skip_spaces() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r')) {
      rest.remove_prefix(1);
    }
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (!rest.starts_with(token)) return false;
    rest.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (accept(token)) return;
    refuse("expected " + base::quoted(token) + before());
  }

  std::string string() {
    skip_spaces();
    const char quote = rest.empty() ? '\0' : rest[0];
    if (quote != '\'' && quote != '"') refuse("expected a quoted string" + before());
    const std::size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos) refuse("a string has no closing quote");
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    refuse("fortran_order is neither True nor False" + before());
  }

  std::int64_t dimension() {
    skip_spaces();
    std::int64_t value = 0;
    const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (result.ec == std::errc::result_out_of_range) refuse("a dimension passes 2^63");
    if (result.ec != std::errc()) refuse("expected a dimension" + before());
    if (value < 0) refuse("dimension " + std::to_string(value) + " is negative");
    rest.remove_prefix(static_cast<std::size_t>(result.ptr - rest.data()));
    return value;
  }

  Shape shape() {
    expect("(");
    Shape dimensions;
    bool comma = true;
    while (!accept(")")) {
      if (!comma) refuse("expected ',' or ')' in shape" + before());
      if (dimensions.size() == most_dimensions) refuse("shape has more than 64 dimensions");
      dimensions.push_back(dimension());
      comma = accept(",");
    }
    // In Python (3) is a number and (3,) the tuple.
    if (dimensions.size() == 1 && !comma) refuse("shape (" + std::to_string(dimensions[0]) + ") is not a tuple");
    return dimensions;
  }

  // Where in the text a problem is, without the padding that every header ends with.
  std::string before() const {
    const std::size_t end = rest.find_last_not_of(" \n");
    return end == std::string_view::npos ? " at the end" : " before " + base::quoted(rest.substr(0, end + 1));
  }
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  Parser parser{text, file};
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
  parser.expect("{");
  bool comma = true;
  while (!parser.accept("}")) {
    if (!comma) parser.refuse("expected ',' or '}'" + parser.before());
    const std::string key = parser.string();
    if ((key == "descr" && descr) || (key == "fortran_order" && fortran_order) || (key == "shape" && shape)) {
      parser.refuse("key " + base::quoted(key) + " appears twice");
    }
    parser.expect(":");
    if (key == "descr") {
      parser.skip_spaces();
      if (parser.rest.starts_with('[') || parser.rest.starts_with('(')) {
        usage_error(file + ": holds a structured dtype; save each field as an array of its own");
      }
      descr = parser.string();
    } else if (key == "fortran_order") {
      fortran_order = parser.boolean();
    } else if (key == "shape") {
      shape = parser.shape();
    } else {
      parser.refuse("unknown key " + base::quoted(key));
    }
    comma = parser.accept(",");
  }
  parser.skip_spaces();
  if (!parser.rest.empty()) parser.refuse("text after the dictionary: " + base::quoted(parser.rest));
  if (!descr) parser.refuse("key 'descr' is missing");
  if (!fortran_order) parser.refuse("key 'fortran_order' is missing");
  if (!shape) parser.refuse("key 'shape' is missing");
  return {*descr, *fortran_order, *shape};
}

std::string npy_preamble(const NpyHeader& header) {
  std::string dictionary = "{'descr': '" + header.descr + "', 'fortran_order': ";
  dictionary += header.fortran_order ? "True" : "False";
  dictionary += ", 'shape': (";
  for (std::size_t axis = 0; axis < header.shape.size(); ++axis) {
    if (axis > 0) dictionary += ", ";
    dictionary += std::to_string(header.shape[axis]);
  }
  dictionary += header.shape.size() == 1 ? ",), }" : "), }";
  // numpy leaves room for the first dimension (the last one in Fortran order) to grow to 21 digits in place.
  if (!header.shape.empty()) {
    const std::int64_t growing = header.fortran_order ? header.shape.back() : header.shape.front();
    dictionary.append(21 - std::to_string(growing).size(), ' ');
  }
  constexpr std::size_t before_dictionary = 10;
  const std::size_t unpadded = before_dictionary + dictionary.size() + 1;
  // A multiple of 64 asks for no padding; numpy then pads by a whole 64.
  dictionary.append(64 - unpadded % 64, ' ');
  dictionary += '\n';
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(dictionary.size() & 0xff);
  preamble += static_cast<char>(dictionary.size() >> 8);
  return preamble + dictionary;
}

}  // namespace fusecheck::tensor
