// The protobuf side of an ONNX model; the only file that sees ONNX's headers.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include "exchange/onnx_model.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::exchange {
namespace {

std::string bytes_of(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!message.SerializeToCodedStream(&coded)) internal_error("onnx: a message of more than 2 GiB");
  }
  return bytes;
}

void fill(::onnx::TensorProto& proto, const std::string& name, const Tensor& tensor) {
  proto.set_name(name);
  proto.set_data_type(static_cast<std::int32_t>(onnx_type(tensor.dtype())));
  for (const std::int64_t n : tensor.shape()) proto.add_dims(n);
  proto.set_raw_data(tensor.bytes().data(), tensor.bytes().size());  // little-endian, row-major: as ONNX wants it
}

void fill(::onnx::ValueInfoProto& proto, const OnnxPort& port) {
  proto.set_name(port.name);
  ::onnx::TypeProto_Tensor* type = proto.mutable_type()->mutable_tensor_type();
  type->set_elem_type(static_cast<std::int32_t>(onnx_type(port.dtype)));
  ::onnx::TensorShapeProto* shape = type->mutable_shape();  // present for a scalar too
  for (const std::int64_t n : port.shape) shape->add_dim()->set_dim_value(n);
}

struct FillAttribute {
  ::onnx::AttributeProto& proto;
  void operator()(std::int64_t value) const {
    proto.set_type(::onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(::onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(::onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
};

void fill(::onnx::NodeProto& proto, const OnnxNode& node) {
  proto.set_op_type(node.op);
  proto.set_name(node.outputs.front());
  for (const std::string& name : node.inputs) proto.add_input(name);
  for (const std::string& name : node.outputs) proto.add_output(name);
  for (const auto& [name, value] : node.attributes) {
    ::onnx::AttributeProto* attribute = proto.add_attribute();
    attribute->set_name(name);
    std::visit(FillAttribute{*attribute}, value);
  }
}

}  // namespace

std::int64_t onnx_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return ::onnx::TensorProto::DOUBLE;
    case DType::f32:
      return ::onnx::TensorProto::FLOAT;
    case DType::f16:
      return ::onnx::TensorProto::FLOAT16;
    case DType::bf16:
      return ::onnx::TensorProto::BFLOAT16;
    case DType::i64:
      return ::onnx::TensorProto::INT64;
    case DType::i32:
      return ::onnx::TensorProto::INT32;
    case DType::u8:
      return ::onnx::TensorProto::UINT8;
    case DType::boolean:
      return ::onnx::TensorProto::BOOL;
  }
  internal_error("a dtype without an ONNX type");
}

std::string onnx_bytes(const OnnxModel& model) {
  ::onnx::ModelProto proto;
  proto.set_ir_version(onnx_ir_version);
  proto.set_producer_name("fusecheck");
  proto.set_doc_string(model.doc);
  proto.add_opset_import()->set_version(onnx_opset);
  ::onnx::GraphProto* graph = proto.mutable_graph();
  graph->set_name(model.name);
  for (const OnnxPort& port : model.inputs) fill(*graph->add_input(), port);
  for (const OnnxPort& port : model.outputs) fill(*graph->add_output(), port);
  for (const auto& [name, tensor] : model.constants) fill(*graph->add_initializer(), name, tensor);
  for (const OnnxNode& node : model.nodes) fill(*graph->add_node(), node);
  return bytes_of(proto);
}

std::string onnx_tensor_bytes(const std::string& name, const Tensor& tensor) {
  ::onnx::TensorProto proto;
  fill(proto, name, tensor);
  return bytes_of(proto);
}

}  // namespace fusecheck::exchange
