// A case's forward as an ONNX graph: the body of its op, one primitive after another. No protobuf here.
//
// Where every primitive is one ONNX operator that takes the case's type for all its operands, the model runs in that
// type: one rounding for each edge, as recipe `unfused` has them. Else it runs in FLOAT between the casts of its inputs
// and outputs, and rounds what feeds a contraction: recipe `epilogue`. Edges of a user's own body hold FLOAT, but where
// it casts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/op.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck::exchange {

// ONNX 1.12: what Debian 12's checker knows, and what every runtime since 2022 reads.
inline constexpr int onnx_opset = 17;
inline constexpr int onnx_ir_version = 8;

using OnnxAttribute = std::variant<std::int64_t, float, std::vector<std::int64_t>>;
using OnnxAttributes = std::map<std::string, OnnxAttribute>;

struct OnnxNode {
  std::string op;                            // "Conv"
  std::vector<std::string> inputs, outputs;  // an empty name stands for an absent optional input
  OnnxAttributes attributes;
};

// TensorProto.DataType: 1 FLOAT, 6 INT32, 7 INT64, 9 BOOL, 10 FLOAT16, 16 BFLOAT16 ...
std::int64_t onnx_type(DType dtype);

struct OnnxPort {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
};

struct OnnxModel {
  std::string name, doc;
  std::vector<OnnxPort> inputs, outputs;
  std::vector<std::pair<std::string, Tensor>> constants;
  std::vector<OnnxNode> nodes;  // in an order in which they can run
};

// A case as it runs.
struct OnnxSource {
  const OpDef& op;
  DType dtype = DType::f16;                                 // of the case
  const Attrs& attrs;                                       // complete
  const Shapes& shapes;                                     // edges too
  const std::map<std::string, DType, std::less<>>& dtypes;  // of inputs and outputs at least
  std::vector<std::string> inputs, outputs;                 // that the case has, in the op's order
};

// Named after the op; `doc` stays empty. Usage error: a primitive, or an attribute of it, that ONNX cannot say.
OnnxModel onnx_model(const OnnxSource& source);

// The bytes of model.onnx (ModelProto) and of a .pb file (TensorProto). A function of the arguments and the version.
std::string onnx_bytes(const OnnxModel& model);
std::string onnx_tensor_bytes(const std::string& name, const Tensor& tensor);

}  // namespace fusecheck::exchange
