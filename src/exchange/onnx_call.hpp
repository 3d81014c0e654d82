// One call of a body while it becomes ONNX nodes, and the table of what becomes what.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/onnx_model.hpp"
#include "graph/body.hpp"

namespace fusecheck::exchange {

class OnnxCall {
 public:
  // `operands`: by port, names in the model of what the call reads, in `type` where they are floating; absent optional
  // ports are not in it. `shapes`: by port, inputs and outputs.
  OnnxCall(OnnxModel& model, std::string result, DType type, Attrs attrs, std::map<std::string, std::string> operands,
           Shapes shapes)
      : model_(model),
        result_(std::move(result)),
        type_(type),
        gives_(type),
        attrs_(std::move(attrs)),
        operands_(std::move(operands)),
        shapes_(std::move(shapes)) {}

  const Attrs& attrs() const { return attrs_; }
  DType type() const { return type_; }
  bool given(const std::string& port) const { return operands_.contains(port); }
  std::string in(const std::string& port) const;      // empty where absent
  const Shape& shape(const std::string& port) const;  // internal error where unknown

  // One more node; returns the name of its output, which is new.
  std::string node(const std::string& op, std::vector<std::string> inputs, OnnxAttributes attributes = {});
  std::string number(double value);  // a constant of rank 0 in type()
  std::string numbers(Shape shape, const std::vector<double>& values, DType dtype);
  std::string integers(const std::vector<std::int64_t>& values);  // INT64, rank 1
  std::string reshaped(const std::string& value, const Shape& shape);
  // Constant reshapes of a vector along one axis of a tensor of this rank, to broadcast: [c] -> [c,1,1].
  std::string along(const std::string& vector, std::size_t axis, std::size_t rank);

  // The type of the value that the call forms: type(), unless it is said otherwise.
  DType gives() const { return gives_; }
  void gives(DType dtype) { gives_ = dtype; }
  // What a further output of the primitive (running_mean) is.
  void also(const std::string& port, std::string value) { further_[port] = std::move(value); }
  const std::map<std::string, std::string>& further() const { return further_; }

 private:
  std::string fresh(const std::string& what);

  OnnxModel& model_;
  std::string result_;
  DType type_, gives_;
  Attrs attrs_;
  std::map<std::string, std::string> operands_, further_;
  Shapes shapes_;
};

// In which type a primitive's nodes run.
enum class OnnxTypes : std::uint8_t {
  native,      // one ONNX operator in FLOAT16 or FLOAT, all operands alike; else FLOAT
  any,         // moves elements: in whatever type they all have; else FLOAT
  statistics,  // BatchNormalization: x in FLOAT16 beside FLOAT vectors
  composed,    // several operators, or a constant that FLOAT16 may not hold: always FLOAT, nothing is rounded between
};

struct OnnxForm {
  std::string_view primitive;
  OnnxTypes types;
  std::string (*emit)(OnnxCall& call);  // returns the value's name: an output of one of its nodes
  bool contraction = false;             // whose operands are rounded to the case's type
};

// Null where the primitive has none.
const OnnxForm* onnx_form(std::string_view primitive);

// Of attributes along spatial axes.
std::vector<std::int64_t> integers_of(const Attrs& attrs, std::string_view name);

// Emitters with more to them than a line.
std::string emit_conv(OnnxCall& call);
std::string emit_conv_transpose(OnnxCall& call);
std::string emit_matmul(OnnxCall& call);
std::string emit_average_pool(OnnxCall& call);
std::string emit_max_pool(OnnxCall& call);
std::string emit_batch_norm(OnnxCall& call);
std::string emit_layer_norm(OnnxCall& call);
std::string emit_rms_norm(OnnxCall& call);
std::string emit_group_norm(OnnxCall& call);
std::string emit_gelu(OnnxCall& call);
std::string emit_masked_softmax(OnnxCall& call);
std::string emit_cross_entropy(OnnxCall& call);
std::string emit_attention_scores(OnnxCall& call);
std::string emit_attention_softmax(OnnxCall& call);
std::string emit_attention_values(OnnxCall& call);
std::string emit_rotary_embedding(OnnxCall& call);
std::string emit_concat(OnnxCall& call);
std::string emit_slice(OnnxCall& call);
std::string emit_split(OnnxCall& call);
std::string emit_pad(OnnxCall& call);
std::string emit_transpose(OnnxCall& call);
std::string emit_cast(OnnxCall& call);

}  // namespace fusecheck::exchange
