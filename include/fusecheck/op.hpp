// What an op file in kernels_ref/ sees: how it declares itself, and the kernel that it computes through.
//
// A kernel is written once, as a sequence of calls on tensors with *named rounding points*. Three interpreters run it:
// truth with intervals (f64), emulation (a NumericModel, bit for bit) and the plain body in f64. A recipe says what
// each named point does (NUMERICS.md J2).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/functions.hpp"
#include "fusecheck/philox.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck {

// A tensor inside a kernel; what it holds depends on the interpreter. Cheap to copy, never modified.
struct Value {
  Shape shape;
  std::shared_ptr<const void> data;
  explicit operator bool() const { return data != nullptr; }
};

enum class Unary : std::uint8_t {
  negate,
  square_root,
  relu,      // x if x > 0, NaN if x is NaN, else +0
  positive,  // 1 if x > 0, else 0: the derivative of relu (0 at 0)
  absolute,  // |x|
};
// maximum and minimum do not round; NaN where either operand is NaN.
enum class Binary : std::uint8_t { add, subtract, multiply, divide, maximum, minimum };

// Row-major positions in a tensor; -1 stands for "none".
using Indices = std::shared_ptr<const std::vector<std::int64_t>>;

// Geometry of a 2-d convolution: the attributes of the same names.
struct Conv2dAttrs {
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int64_t dilation_h = 1, dilation_w = 1;
  std::int64_t groups = 1;
};

// One call is one correctly rounded operation in compute precision (f32) per element, with numpy's broadcasting.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  virtual Value constant(double value) = 0;  // rounded to f32; shape {}
  virtual Value unary(Unary op, const Value& x) = 0;
  virtual Value binary(Binary op, const Value& a, const Value& b) = 0;
  // f(x) as one operation. Emulation rounds it correctly; a legal device may err by what NUMERICS.md N12 allows.
  virtual Value function(Function f, const Value& x) = 0;
  virtual Value reshape(const Value& x, const Shape& shape) = 0;
  // Σ over the given axes, which stay with length 1. The model's order, row-major.
  virtual Value sum(const Value& x, const std::vector<int>& axes) = 0;
  // The largest element over the given axes, which stay with length 1; NaN where one is NaN. Nothing is rounded.
  virtual Value maximum(const Value& x, const std::vector<int>& axes) = 0;
  // 1 at the first (row-major) largest element over the axes, else 0; the shape of x.
  virtual Value first_maximum(const Value& x, const std::vector<int>& axes) = 0;
  // out[i] = x[from[i]], or `fill` where from[i] is -1: transpose, slice, pad, gather, windows ... The shape has as
  // many elements as `from`.
  virtual Value pick(const Value& x, const Shape& shape, const Indices& from, double fill) = 0;
  // The parts one after another along an axis; they agree in all others.
  virtual Value join(const std::vector<Value>& parts, int axis) = 0;
  // The elements of an index tensor (Role::index), which are data that decides what is computed.
  virtual std::vector<std::int64_t> integers(const Value& x) = 0;
  // x [n,c,h,w], w [oc,c/groups,kh,kw], bias [oc] or empty: the accumulator starts from the bias.
  virtual Value conv2d(const Value& x, const Value& w, const Value& bias, const Conv2dAttrs& attrs) = 0;
  virtual Value conv2d_data_gradient(const Value& dy, const Value& w, const Shape& x, const Conv2dAttrs& attrs) = 0;
  virtual Value conv2d_weight_gradient(const Value& x, const Value& dy, const Shape& w, const Conv2dAttrs& attrs) = 0;

  // A named rounding point: what the schedule says of it; kept in compute precision when it says nothing.
  virtual Value round(std::string_view point, const Value& x) = 0;
  // A named rounding point in front of a contraction: rounded to the operand type (the case's dtype) unless the
  // schedule says otherwise.
  virtual Value operand(std::string_view point, const Value& x) = 0;
  // Rounds to a type that the formula itself names (a cast).
  virtual Value cast(DType dtype, const Value& x) = 0;
  // Rounds to the storage type of the named tensor.
  virtual Value store(std::string_view tensor, const Value& x) = 0;
  // Two values between which a legal kernel may choose: `usual` for emulation and truth, the hull of both for
  // intervals.
  virtual Value either(const Value& usual, const Value& other) = 0;
  // What a backward finds where the forward has stored an output: the tensor, or, where the schedule computes it again,
  // the value before it was stored.
  virtual Value reread(const Value& stored, const Value& /*computed*/) { return stored; }

  Value add(const Value& a, const Value& b) { return binary(Binary::add, a, b); }
  Value sub(const Value& a, const Value& b) { return binary(Binary::subtract, a, b); }
  Value mul(const Value& a, const Value& b) { return binary(Binary::multiply, a, b); }
  Value div(const Value& a, const Value& b) { return binary(Binary::divide, a, b); }
  Value sqrt(const Value& x) { return unary(Unary::square_root, x); }
  Value relu(const Value& x) { return unary(Unary::relu, x); }
  Value positive(const Value& x) { return unary(Unary::positive, x); }
  Value negate(const Value& x) { return unary(Unary::negate, x); }
};

// The tensors a kernel reads and writes, by the names of the formula.
//
// A fused op's kernel stores what it puts out; a primitive inside a body leaves that to the body (Storing::later).
enum class Storing : std::uint8_t { now, later };

class Io {
 public:
  Io(Kernel& kernel, const Attrs& attributes, Storing storing)
      : kernel_(kernel), attributes_(attributes), storing_(storing) {}
  const Attrs& attrs() const { return attributes_; }
  void bind(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
  bool given(std::string_view name) const { return values_.contains(name); }
  // An input, or anything that out() or save() stored before; internal error when absent.
  const Value& operator[](std::string_view name) const;
  Value optional(std::string_view name) const { return given(name) ? (*this)[name] : Value{}; }
  // Sets an output, in its storage type, and returns it as stored.
  Value out(const std::string& name, const Value& value);
  // Stores what the backward will read (mask, conv, mean, rstd). A tensor the user supplied under that name
  // (--direction bwd) wins over the computed one.
  Value save(const std::string& name, const Value& value);
  void supply(std::string name, Value value) { supplied_[std::move(name)] = std::move(value); }
  const std::map<std::string, Value, std::less<>>& outputs() const { return outputs_; }
  const std::map<std::string, Value, std::less<>>& saved() const { return saved_; }

 private:
  Kernel& kernel_;
  const Attrs& attributes_;
  Storing storing_;
  std::map<std::string, Value, std::less<>> values_, outputs_, saved_, supplied_;
};

using KernelFunction = std::function<void(Kernel&, Io&)>;

// Which storage type a tensor has (NUMERICS.md J1).
enum class Role : std::uint8_t {
  data,       // the case's dtype: x, w, residual, y and their gradients
  parameter,  // f32 in 16-bit cases, else the case's dtype: b, gamma, beta, mean, var, statistics, and their gradients
  mask,       // boolean
  index,      // i32: positions, which have no gradient
};

enum class DataSet : std::uint8_t { exact, random, stress };

// What a generator of one element may look at.
struct DrawContext {
  DataSet set;
  const PhiloxReader& rng;
  const Shape& shape;
  const Attrs& attrs;
  DType dtype;  // storage of the tensor
  DType case_dtype;
  std::int64_t limit = 1;  // of an index: positions lie below it
};
using Draw = double (*)(const DrawContext& draw, std::int64_t element);

struct Port {
  std::string name;
  Role role = Role::data;
  std::string doc;
  Draw draw = nullptr;  // inputs only
  bool optional = false;
  bool gradient = true;        // whether the op gives d<name>
  bool training_only = false;  // outputs of batch_norm that inference does not have
};

// How a kernel is allowed to compute: its own algebra, and a rounding per named point.
struct Recipe {
  std::string name;
  std::string doc;        // one line
  bool training = false;  // of an op with batch_norm: this recipe is for --bn train (else for infer)
  bool lossy = false;     // never tried silently (J8)
  KernelFunction forward, backward;
  // point -> f16, bf16 ... ; "storage" means the case's dtype, "keep" compute precision.
  std::map<std::string, std::string, std::less<>> points = {};
  // Largest |recipe truth - body truth| that the recipe's declared roundings explain, in units of storage u times the
  // output's Σ|terms| (J2): derived beside the recipe.
  double budget = 0;
};

// An output that proves nothing by construction, and why (J11): zero in exact arithmetic, an identity.
struct Structural {
  std::string output;
  std::string reason;
  bool training_only = true;
};

struct OpDef {
  std::string name;
  std::vector<std::string> aliases = {};
  std::string formula;  // one line of mathematics
  std::string doc = {};
  std::vector<Port> inputs = {}, outputs = {};  // primitives; of a fused op: inputs that it draws itself, their doc
  std::vector<Port> saved = {};                 // what the backward may read besides inputs, outputs and edges
  std::vector<AttrSpec> attrs = {};             // primitives
  // Primitives: fills in the shapes of the absent inputs from the given ones and the attributes, and the outputs'.
  // An index port's limit goes under its name and "<". Usage error where they contradict each other.
  std::function<void(Shapes&, const Attrs&)> infer = {};
  KernelFunction forward = {}, backward = {};  // primitives
  std::string body = {};                       // fused ops: "conv = conv2d(x, w, b); y = relu(conv)"
  std::vector<Recipe> recipes = {};            // fused ops: their own kernels; "unfused" comes from the body
  std::vector<Structural> structural = {};
  int version = 1;  // of the op's meaning: raised when the same inputs are to give another truth (golden data says it)
  bool fused() const { return !body.empty(); }
};

}  // namespace fusecheck
