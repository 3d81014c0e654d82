// The ONNX model of a case as ONNX's own library reads it.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <vector>

#include "check/case_info.hpp"
#include "exchange/onnx_model.hpp"

namespace fusecheck::testing {

inline ::onnx::ModelProto model_of(const CaseSpec& spec) {
  const CaseInfo info = case_info(spec);
  const TensorNames names = tensor_names(spec);
  const exchange::OnnxModel model =
      exchange::onnx_model({*info.op, spec.dtype, info.attrs, info.shapes, info.dtypes, names.inputs, names.outputs});
  ::onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(exchange::onnx_bytes(model)));
  return proto;
}

inline ::onnx::ModelProto model_of(const std::string& line) { return model_of(parse_case(line)); }

// "Conv(x, w) -> y" of each node.
inline std::vector<std::string> nodes_of(const ::onnx::ModelProto& model) {
  std::vector<std::string> texts;
  for (const ::onnx::NodeProto& node : model.graph().node()) {
    std::string text = node.op_type() + "(";
    for (const std::string& name : node.input()) text += (text.back() == '(' ? "" : ", ") + name;
    text += ") ->";
    for (const std::string& name : node.output()) text += " " + name;
    texts.push_back(text);
  }
  return texts;
}

inline std::vector<std::string> operators_of(const ::onnx::ModelProto& model) {
  std::vector<std::string> names;
  for (const ::onnx::NodeProto& node : model.graph().node()) names.push_back(node.op_type());
  return names;
}

inline const ::onnx::AttributeProto& attribute(const ::onnx::NodeProto& node, const std::string& name) {
  for (const ::onnx::AttributeProto& one : node.attribute()) {
    if (one.name() == name) return one;
  }
  ADD_FAILURE() << node.op_type() << " has no attribute " << name;
  return ::onnx::AttributeProto::default_instance();
}

inline std::vector<std::int64_t> integers(const ::onnx::NodeProto& node, const std::string& name) {
  const auto& values = attribute(node, name).ints();
  return {values.begin(), values.end()};
}

}  // namespace fusecheck::testing
