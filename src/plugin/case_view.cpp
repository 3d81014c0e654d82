#include "plugin/case_view.hpp"

namespace fusecheck::plugin {
namespace {

std::int32_t code_of(DType dtype) {
  static constexpr std::int32_t codes[] = {FUSECHECK_F64, FUSECHECK_F32, FUSECHECK_F16, FUSECHECK_BF16,
                                           FUSECHECK_I64, FUSECHECK_I32, FUSECHECK_U8,  FUSECHECK_BOOLEAN};
  static_assert(static_cast<int>(DType::f64) == 0 && static_cast<int>(DType::boolean) == 7);
  return codes[static_cast<std::size_t>(dtype)];
}

std::int32_t code_of(tensor::LayoutKind kind) {
  static constexpr std::int32_t codes[] = {FUSECHECK_LAYOUT_ND, FUSECHECK_LAYOUT_NCHW, FUSECHECK_LAYOUT_NHWC,
                                           FUSECHECK_LAYOUT_NC1HWC0, FUSECHECK_LAYOUT_NZ};
  static_assert(static_cast<int>(tensor::LayoutKind::nd) == 0 && static_cast<int>(tensor::LayoutKind::nz) == 4);
  return codes[static_cast<std::size_t>(kind)];
}

Shape row_major_strides(const Shape& shape, std::size_t element) {
  Shape strides(shape.size());
  auto step = static_cast<std::int64_t>(element);
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
  return strides;
}

}  // namespace

CaseView::CaseView(const CaseFolder& folder) : view_{} {
  geometries_.reserve(folder.inputs.size() + folder.outputs.size());  // the tensors point into it
  const auto add = [&](const TensorPlace& place, std::vector<fusecheck_tensor>& to) {
    const Shape shape = place.stored_shape();
    Geometry& own = geometries_.emplace_back(Geometry{shape, row_major_strides(shape, size_of(place.dtype))});
    const std::uint64_t bytes = static_cast<std::uint64_t>(element_count(shape)) * size_of(place.dtype);
    to.push_back({place.name.c_str(), nullptr, bytes, code_of(place.dtype), code_of(place.layout.kind),
                  static_cast<std::int32_t>(shape.size()), 0, own.shape.data(), own.strides.data()});
  };
  for (const TensorPlace& place : folder.inputs) add(place, inputs_);
  for (const TensorPlace& place : folder.outputs) add(place, outputs_);
  for (const auto& [name, values] : folder.attrs.all()) {
    attributes_.push_back({name.c_str(), values.data(), values.size()});
  }
  view_ = {FUSECHECK_PLUGIN_VERSION, sizeof(fusecheck_case), folder.line.c_str(), folder.op.c_str(), attributes_.data(),
           attributes_.size(),       inputs_.data(),         inputs_.size(),      outputs_.data(),   outputs_.size()};
}

void CaseView::attach(const std::vector<GuardedBuffer>& buffers) {
  std::size_t next = 0;
  for (std::vector<fusecheck_tensor>* tensors : {&inputs_, &outputs_}) {
    for (fusecheck_tensor& tensor : *tensors) tensor.data = buffers.at(next++).bytes().data();
  }
}

}  // namespace fusecheck::plugin
