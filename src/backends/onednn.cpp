// The only file of the library that sees oneDNN. Written for 2.6; 3.0 dropped the operation descriptors, which is all
// that differs here (https://oneapi-src.github.io/oneDNN/group_dnnl_api_convolution.html).
#include "backends/onednn.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "fusecheck/error.hpp"

namespace fusecheck::backends {
namespace {

using dnnl::memory;
using engine::Direction;
using Tag = memory::format_tag;

// The shapes of a convolution in oneDNN's terms. Grouped weights have a leading axis g there; the bytes are the same.
struct Shapes2d {
  memory::dims source, weights, bias, destination;
  memory::dims strides, dilates, low_padding, high_padding;
  Tag weights_layout = Tag::oihw;
};

Shapes2d shapes_of(const engine::Conv2dGeometry& g) {
  Shapes2d s;
  s.source = {g.n, g.c, g.h, g.w};
  s.weights = {g.oc, g.c / g.groups, g.kh, g.kw};
  if (g.groups > 1) {
    s.weights = {g.groups, g.oc / g.groups, g.c / g.groups, g.kh, g.kw};
    s.weights_layout = Tag::goihw;
  }
  s.bias = {g.oc};
  s.destination = {g.n, g.oc, g.oh(), g.ow()};
  s.strides = {g.stride_h, g.stride_w};
  s.dilates = {g.dilation_h - 1, g.dilation_w - 1};  // oneDNN counts the elements left out
  s.low_padding = {g.pad_top, g.pad_left};
  s.high_padding = {g.pad_bottom, g.pad_right};
  return s;
}

std::size_t count(const memory::dims& dims) {
  std::size_t product = 1;
  for (const auto extent : dims) product *= static_cast<std::size_t>(extent);
  return product;
}

// f32 stays f32 even where ONEDNN_DEFAULT_FPMATH_MODE allows bf16 products.
dnnl::primitive_attr strict_arithmetic() {
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attributes;
}

#if DNNL_VERSION_MAJOR >= 3
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe(const dnnl::engine& engine, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(engine, arguments..., strict_arithmetic());
}
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe_gradient(const dnnl::engine& engine,
                                                     const dnnl::convolution_forward::primitive_desc& forward,
                                                     const Arguments&... arguments) {
  return typename Primitive::primitive_desc(engine, arguments..., forward, strict_arithmetic());
}
#else
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe(const dnnl::engine& engine, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(typename Primitive::desc(arguments...), strict_arithmetic(), engine);
}
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc describe_gradient(const dnnl::engine& engine,
                                                     const dnnl::convolution_forward::primitive_desc& forward,
                                                     const Arguments&... arguments) {
  return
      typename Primitive::primitive_desc(typename Primitive::desc(arguments...), strict_arithmetic(), engine, forward);
}
#endif

// One argument of a primitive: plain f32 on our side, whatever layout and type oneDNN prefers on its own.
struct Argument {
  int role = 0;
  memory::desc plain, preferred;
};

std::vector<float> execute(const dnnl::primitive& primitive, const dnnl::engine& engine,
                           const std::vector<Argument>& inputs, const std::vector<std::span<const float>>& values,
                           const Argument& output, std::size_t output_size) {
  dnnl::stream stream(engine);
  std::unordered_map<int, memory> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // oneDNN takes no pointer to const; inputs are only read.
    memory plain(inputs[i].plain, engine, const_cast<float*>(values[i].data()));
    memory preferred(inputs[i].preferred, engine);
    dnnl::reorder(plain, preferred).execute(stream, plain, preferred);
    arguments.emplace(inputs[i].role, preferred);
  }
  memory preferred(output.preferred, engine);
  arguments.emplace(output.role, preferred);
  primitive.execute(stream, arguments);
  std::vector<float> result(output_size);
  memory plain(output.plain, engine, result.data());
  dnnl::reorder(preferred, plain).execute(stream, preferred, plain);
  stream.wait();
  return result;
}

std::vector<float> compute(const engine::Contraction& problem, std::span<const float> a, std::span<const float> b,
                           std::span<const float> bias, memory::data_type type) {
  const Shapes2d s = shapes_of(problem.geometry);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto f32 = memory::data_type::f32;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto any = [&](const memory::dims& dims) { return memory::desc(dims, type, Tag::any); };
  const memory::desc source(s.source, f32, Tag::nchw), weights(s.weights, f32, s.weights_layout),
      destination(s.destination, f32, Tag::nchw), bias_desc(s.bias, f32, Tag::x);

  if (problem.direction == Direction::forward) {
    const auto kind = dnnl::prop_kind::forward_training;
    const auto used_bias = bias.empty() ? memory::desc() : bias_desc;  // a zero descriptor means: no bias
    const auto pd =
        describe<dnnl::convolution_forward>(engine, kind, algorithm, any(s.source), any(s.weights), used_bias,
                                            any(s.destination), s.strides, s.dilates, s.low_padding, s.high_padding);
    std::vector<Argument> inputs = {{DNNL_ARG_SRC, source, pd.src_desc()},
                                    {DNNL_ARG_WEIGHTS, weights, pd.weights_desc()}};
    std::vector<std::span<const float>> values = {a, b};
    if (!bias.empty()) {
      inputs.push_back({DNNL_ARG_BIAS, bias_desc, bias_desc});
      values.push_back(bias);
    }
    return execute(dnnl::convolution_forward(pd), engine, inputs, values, {DNNL_ARG_DST, destination, pd.dst_desc()},
                   count(s.destination));
  }

  const auto hint = describe<dnnl::convolution_forward>(engine, dnnl::prop_kind::forward_training, algorithm,
                                                        any(s.source), any(s.weights), any(s.destination), s.strides,
                                                        s.dilates, s.low_padding, s.high_padding);
  if (problem.direction == Direction::data_gradient) {
    const auto pd = describe_gradient<dnnl::convolution_backward_data>(engine, hint, algorithm, any(s.source),
                                                                       any(s.weights), any(s.destination), s.strides,
                                                                       s.dilates, s.low_padding, s.high_padding);
    return execute(
        dnnl::convolution_backward_data(pd), engine,
        {{DNNL_ARG_DIFF_DST, destination, pd.diff_dst_desc()}, {DNNL_ARG_WEIGHTS, weights, pd.weights_desc()}}, {a, b},
        {DNNL_ARG_DIFF_SRC, source, pd.diff_src_desc()}, count(s.source));
  }
  const auto pd = describe_gradient<dnnl::convolution_backward_weights>(engine, hint, algorithm, any(s.source),
                                                                        any(s.weights), any(s.destination), s.strides,
                                                                        s.dilates, s.low_padding, s.high_padding);
  return execute(dnnl::convolution_backward_weights(pd), engine,
                 {{DNNL_ARG_SRC, source, pd.src_desc()}, {DNNL_ARG_DIFF_DST, destination, pd.diff_dst_desc()}}, {a, b},
                 {DNNL_ARG_DIFF_WEIGHTS, weights, pd.diff_weights_desc()}, count(s.weights));
}

// Debian's oneDNN runs on OpenMP, whose number of threads belongs to the calling thread. The runtime is looked up in
// the process, so that no particular one (libgomp, libomp) need be linked; without one oneDNN uses a single thread or
// a pool of its own, and there is nothing to set.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads)
      : set_(reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) {
    const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    if (set_ == nullptr || get == nullptr) return;
    before_ = get();
    set_(std::max(1, threads));
  }
  ~OpenMpThreads() {
    if (before_ > 0) set_(before_);
  }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  void (*set_)(int);
  int before_ = 0;
};

void require_size(std::string_view what, std::size_t actual, std::size_t expected) {
  if (actual == expected) return;
  internal_error("oneDNN replay: " + std::string(what) + " has " + std::to_string(actual) + " elements, the geometry " +
                 "needs " + std::to_string(expected));
}

void require_operands(const engine::Contraction& problem, std::span<const float> a, std::span<const float> b,
                      std::span<const float> bias, DType dtype) {
  const Shapes2d s = shapes_of(problem.geometry);
  const bool forward = problem.direction == Direction::forward;
  require_size("a", a.size(), count(problem.direction == Direction::data_gradient ? s.destination : s.source));
  require_size("b", b.size(), count(problem.direction == Direction::weight_gradient ? s.destination : s.weights));
  if (!bias.empty()) require_size("bias", bias.size(), forward ? count(s.bias) : 0);
  if (dtype != DType::bf16) return;
  const auto is_bf16 = [](float x) { return (std::bit_cast<std::uint32_t>(x) & 0xffffU) == 0; };
  if (!std::ranges::all_of(a, is_bf16) || !std::ranges::all_of(b, is_bf16)) {
    internal_error("oneDNN replay: an operand is no bf16 value; round operands before replaying a bf16 contraction");
  }
}

std::string name_of_isa(dnnl::cpu_isa isa) {
  struct Name {
    dnnl::cpu_isa isa;
    const char* text;
  };
  static constexpr Name names[] = {
      {dnnl::cpu_isa::sse41, "sse41"},
      {dnnl::cpu_isa::avx, "avx"},
      {dnnl::cpu_isa::avx2, "avx2"},
      {dnnl::cpu_isa::avx2_vnni, "avx2_vnni"},
      {dnnl::cpu_isa::avx512_core, "avx512_core"},
      {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni"},
      {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16"},
      {dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx"},
  };
  const auto* const found = std::ranges::find(names, isa, &Name::isa);
  return found != std::end(names) ? found->text : "instruction set " + std::to_string(static_cast<int>(isa));
}

// The values of cpu_isa are sets of bits: a set holds those of every instruction set below it.
bool has_bf16_instructions() {
  const auto bits = [](dnnl::cpu_isa isa) { return static_cast<unsigned>(isa); };
  const unsigned needed = bits(dnnl::cpu_isa::avx512_core_bf16);
  return (bits(dnnl::get_effective_cpu_isa()) & needed) == needed;
}

}  // namespace

std::string onednn_version() {
  const auto* const v = dnnl::version();
  return "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch) + " (" +
         name_of_isa(dnnl::get_effective_cpu_isa()) + ")";
}

std::optional<std::vector<float>> replay(const engine::Contraction& problem, std::span<const float> a,
                                         std::span<const float> b, std::span<const float> bias, DType dtype,
                                         std::string& reason, int threads) {
  if (dtype != DType::f32 && dtype != DType::bf16) {
    reason = "oneDNN replays f32 and bf16 convolutions, not " + std::string(name_of(dtype));
    return std::nullopt;
  }
  require_operands(problem, a, b, bias, dtype);
  if (dtype == DType::bf16 && !has_bf16_instructions()) {
    reason = onednn_version() + ": this CPU has no bf16 instructions";
    return std::nullopt;
  }
  const OpenMpThreads guard(threads);
  try {
    return compute(problem, a, b, bias, dtype == DType::f32 ? memory::data_type::f32 : memory::data_type::bf16);
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) {
      internal_error("oneDNN refused a " + std::string(name_of(dtype)) + " convolution (status " +
                     std::to_string(static_cast<int>(error.status)) + "): " + error.message);
    }
    reason = onednn_version() + " has no " + std::string(name_of(dtype)) + " kernel for this convolution on this CPU";
    return std::nullopt;
  }
}

}  // namespace fusecheck::backends
