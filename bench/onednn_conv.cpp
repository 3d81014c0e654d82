#include "onednn_conv.hpp"

#include <chrono>
#include <dnnl.hpp>
#include <unordered_map>

namespace fusecheck::bench {

namespace {

using dnnl::memory;
using Md = memory::desc;
using Dims = memory::dims;
using engine::Direction;

struct Geometry {
  Dims x, w, y, strides, dilates, pad_low, pad_high;
};

Geometry dims_of(const engine::Conv2dGeometry& g) {
  Geometry d;
  d.x = {g.n, g.c, g.h, g.w};
  d.w = g.groups == 1 ? Dims{g.oc, g.c, g.kh, g.kw} : Dims{g.groups, g.oc / g.groups, g.c / g.groups, g.kh, g.kw};
  d.y = {g.n, g.oc, g.oh(), g.ow()};
  d.strides = {g.stride_h, g.stride_w};
  d.dilates = {g.dilation_h - 1, g.dilation_w - 1};
  d.pad_low = {g.pad_top, g.pad_left};
  d.pad_high = {g.pad_bottom, g.pad_right};
  return d;
}

Md any(const Dims& dims) { return Md(dims, memory::data_type::f32, memory::format_tag::any); }
Md plain(const Dims& dims) {
  return Md(dims, memory::data_type::f32, dims.size() == 4 ? memory::format_tag::nchw : memory::format_tag::goihw);
}

// A tensor in `preferred` layout filled with small values through a plain one, and the time of that reorder.
memory filled(const dnnl::engine& cpu, dnnl::stream& stream, const Dims& dims, const Md& preferred, double& ms) {
  memory from(plain(dims), cpu), to(preferred, cpu);
  float* p = static_cast<float*>(from.get_data_handle());
  const std::size_t n = from.get_desc().get_size() / sizeof(float);
  for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<float>(i % 31) / 16 - 0.9F;
  const dnnl::reorder reorder(from, to);
  reorder.execute(stream, from, to);
  const auto begin = std::chrono::steady_clock::now();
  reorder.execute(stream, from, to);
  stream.wait();
  ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return to;
}

}  // namespace

OnednnConv onednn_conv(const engine::Contraction& problem) {
  const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(cpu);
  const Geometry d = dims_of(problem.geometry);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, any(d.x), any(d.w), any(d.y), d.strides, d.dilates, d.pad_low,
       d.pad_high},
      cpu);
  OnednnConv conv;
  const auto with = [&](const dnnl::primitive& primitive, const std::unordered_map<int, memory>& arguments) {
    conv.execute = [primitive, arguments, stream]() mutable {
      primitive.execute(stream, arguments);
      stream.wait();
    };
  };
  const auto tensor = [&](const Dims& dims, const Md& md) { return filled(cpu, stream, dims, md, conv.reorder_ms); };
  if (problem.direction == Direction::forward) {
    with(dnnl::convolution_forward(forward), {{DNNL_ARG_SRC, tensor(d.x, forward.src_desc())},
                                              {DNNL_ARG_WEIGHTS, tensor(d.w, forward.weights_desc())},
                                              {DNNL_ARG_DST, tensor(d.y, forward.dst_desc())}});
  } else if (problem.direction == Direction::data_gradient) {
    const dnnl::convolution_backward_data::primitive_desc backward(
        {algorithm, any(d.x), any(d.w), any(d.y), d.strides, d.dilates, d.pad_low, d.pad_high}, cpu, forward);
    with(dnnl::convolution_backward_data(backward), {{DNNL_ARG_DIFF_DST, tensor(d.y, backward.diff_dst_desc())},
                                                     {DNNL_ARG_WEIGHTS, tensor(d.w, backward.weights_desc())},
                                                     {DNNL_ARG_DIFF_SRC, tensor(d.x, backward.diff_src_desc())}});
  } else {
    const dnnl::convolution_backward_weights::primitive_desc backward(
        {algorithm, any(d.x), any(d.w), any(d.y), d.strides, d.dilates, d.pad_low, d.pad_high}, cpu, forward);
    with(dnnl::convolution_backward_weights(backward),
         {{DNNL_ARG_SRC, tensor(d.x, backward.src_desc())},
          {DNNL_ARG_DIFF_DST, tensor(d.y, backward.diff_dst_desc())},
          {DNNL_ARG_DIFF_WEIGHTS, tensor(d.w, backward.diff_weights_desc())}});
  }
  return conv;
}

}  // namespace fusecheck::bench
