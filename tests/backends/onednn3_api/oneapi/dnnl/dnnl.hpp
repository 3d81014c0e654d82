// Declarations only: the part of oneDNN 3's C++ interface that src/backends/onednn.cpp uses, in our own words after its
// reference pages (https://oneapi-src.github.io/oneDNN/group_dnnl_api_convolution.html). Debian 12 ships 2.6, so this
// is what the 3.x branch is compiled against (targets.cmake); nothing links with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <unordered_map>
#include <vector>

#define DNNL_VERSION_MAJOR 3
#define DNNL_ARG_SRC 1
#define DNNL_ARG_DST 17
#define DNNL_ARG_WEIGHTS 33
#define DNNL_ARG_BIAS 41
#define DNNL_ARG_DIFF_SRC 129
#define DNNL_ARG_DIFF_DST 145
#define DNNL_ARG_DIFF_WEIGHTS 161

enum dnnl_status_t { dnnl_success = 0, dnnl_out_of_memory = 1, dnnl_invalid_arguments = 2, dnnl_unimplemented = 3 };
struct dnnl_version_t {
  int major, minor, patch;
  const char* hash;
};

namespace dnnl {

struct error : std::exception {
  dnnl_status_t status;
  const char* message;
};

using version_t = dnnl_version_t;
const version_t* version();

// Values of the enumerators are of no interest here.
enum class cpu_isa {
  sse41,
  avx,
  avx2,
  avx2_vnni,
  avx512_core,
  avx512_core_vnni,
  avx512_core_bf16,
  avx512_core_amx,
};
cpu_isa get_effective_cpu_isa();

enum class fpmath_mode { strict, bf16, any };
enum class prop_kind { forward_training, forward_inference };
enum class algorithm { undef, convolution_auto, convolution_direct };

struct engine {
  enum class kind { any, cpu, gpu };
  engine(kind which, std::size_t index);
};

struct stream {
  explicit stream(const engine& target);
  stream& wait();
};

struct memory {
  using dim = std::int64_t;
  using dims = std::vector<dim>;
  enum class data_type { undef, bf16, f32 };
  enum class format_tag { undef, any, x, nchw, oihw, goihw };
  struct desc {
    desc();
    desc(const dims& extents, data_type type, format_tag layout, bool allow_empty = false);
  };
  memory(const desc& description, const engine& owner, void* data);
  memory(const desc& description, const engine& owner);
};

struct primitive_attr {
  primitive_attr();
  void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false);
};

struct primitive {
  void execute(const stream& where, const std::unordered_map<int, memory>& arguments) const;
};

struct reorder : primitive {
  reorder(const memory& from, const memory& to);
  using primitive::execute;
  void execute(const stream& where, memory& from, memory& to) const;
};

struct convolution_forward : primitive {
  struct primitive_desc {
    primitive_desc(const engine& target, prop_kind kind, algorithm how, const memory::desc& src,
                   const memory::desc& weights, const memory::desc& bias, const memory::desc& dst,
                   const memory::dims& strides, const memory::dims& dilates, const memory::dims& padding_l,
                   const memory::dims& padding_r, const primitive_attr& attr = primitive_attr(),
                   bool allow_empty = false);
    primitive_desc(const engine& target, prop_kind kind, algorithm how, const memory::desc& src,
                   const memory::desc& weights, const memory::desc& dst, const memory::dims& strides,
                   const memory::dims& dilates, const memory::dims& padding_l, const memory::dims& padding_r,
                   const primitive_attr& attr = primitive_attr(), bool allow_empty = false);
    memory::desc src_desc() const;
    memory::desc weights_desc() const;
    memory::desc dst_desc() const;
  };
  explicit convolution_forward(const primitive_desc& pd);
};

struct convolution_backward_data : primitive {
  struct primitive_desc {
    primitive_desc(const engine& target, algorithm how, const memory::desc& diff_src, const memory::desc& weights,
                   const memory::desc& diff_dst, const memory::dims& strides, const memory::dims& dilates,
                   const memory::dims& padding_l, const memory::dims& padding_r,
                   const convolution_forward::primitive_desc& hint, const primitive_attr& attr = primitive_attr(),
                   bool allow_empty = false);
    memory::desc diff_src_desc() const;
    memory::desc weights_desc() const;
    memory::desc diff_dst_desc() const;
  };
  explicit convolution_backward_data(const primitive_desc& pd);
};

struct convolution_backward_weights : primitive {
  struct primitive_desc {
    primitive_desc(const engine& target, algorithm how, const memory::desc& src, const memory::desc& diff_weights,
                   const memory::desc& diff_dst, const memory::dims& strides, const memory::dims& dilates,
                   const memory::dims& padding_l, const memory::dims& padding_r,
                   const convolution_forward::primitive_desc& hint, const primitive_attr& attr = primitive_attr(),
                   bool allow_empty = false);
    memory::desc src_desc() const;
    memory::desc diff_weights_desc() const;
    memory::desc diff_dst_desc() const;
  };
  explicit convolution_backward_weights(const primitive_desc& pd);
};

}  // namespace dnnl
