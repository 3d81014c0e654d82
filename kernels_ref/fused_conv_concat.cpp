// FusedConvConcat:  y = concat(conv(x, w1) + b1, conv(x, w2) + b2, conv(x, w3) + b3) along the channels
//
// Three parallel convolutions of one input (a block of Inception), each with its own oc, kernel, pad, dilation and
// groups and a common stride; concat asks for one output size.
//
//   dy = dy1, dy2, dy3, the slices of each branch:  dwi = wgrad(x, dyi),  dbi = Σ dyi,  dx = Σ_i dgrad(dyi, wi)
//   epilogue      each branch writes its slice of y; dx is summed on the chip and rounded once
//   accumulated   y as epilogue; the branches' gradients go one after another to the dx in memory: dx = round(dx + ...)
//   separate      y as epilogue; each branch stores its own dx, and they are added as reverse accumulation meets them:
//                 dx = round(round(dx3 + dx2) + dx1)
//   ..._reversed  of these two: the branches the other way round, 3 2 1 in place of 1 2 3 and 1 2 3 in place of 3 2 1
//   add_n         y as epilogue; each branch stores its own dx, and one kernel (AddN) adds the three in f32
//   merged        one convolution with W = w1, w2, w3, each with zeros around and between its taps: groups and dilation
//                 1. A tap outside a branch adds 0·x: exact for every finite x. dwi is that part of wgrad(x, dy)
//
// Example: x = [1, 2, 3], w1 = [2] (1x1), w2 = [1, 0, -1] (1x3, pad 1), w3 = [1, 1] (1x2, zeros at the left), b =
// 0, 1, 0
//   W = [[0, 2, 0], [1, 0, -1], [1, 1, 0]]; y = [2, 4, 6], [-2 + 1, -2 + 1, 2 + 1], [1, 3, 5]
//   dy = [1, 0, 0], [0, 1, 0], [0, 0, 1]: dx = [2, 0, 0] + [1, 0, -1] + [0, 1, 1], dw1 = 1, dw2 = [1, 2, 3], dw3 = [2,
//   3].
#include <algorithm>
#include <array>

#include "family/conv.hpp"
#include "family/move.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

const std::array<std::string, 3> numbers = {"1", "2", "3"};

Conv2dAttrs geometry_of(const Attrs& attrs, const std::string& number) {
  Attrs own;
  own.set("stride", attrs.list("stride"));
  for (const char* name : {"kernel", "pad", "dilation", "groups"}) {
    own.set(name, attrs.list(name + (number == "1" ? "" : number)));
  }
  return family::conv2d_geometry(own);
}

// The part of dy, or of the merged convolution, that begins at channel `begin`.
Value slice_of(Kernel& k, const Value& dy, std::int64_t begin, const Value& w) {
  return family::sliced(k, dy, family::range_along(dy.shape, 1, {begin, begin + w.shape[0], 1}));
}

void forward_epilogue(Kernel& k, Io& io) {
  std::vector<Value> parts;
  for (const std::string& i : numbers) {
    parts.push_back(
        k.round("conv" + i, k.conv2d(io["x"], io["w" + i], io.optional("b" + i), geometry_of(io.attrs(), i))));
  }
  io.out("y", k.join(parts, 1));
}

// dw, db of each branch; its dx.
std::vector<Value> branch_gradients(Kernel& k, Io& io) {
  std::vector<Value> dx;
  std::int64_t begin = 0;
  for (const std::string& i : numbers) {
    const Value& w = io["w" + i];
    const Conv2dAttrs geometry = geometry_of(io.attrs(), i);
    const Value dy = slice_of(k, io["dy"], begin, w);
    io.out("dw" + i, k.conv2d_weight_gradient(io["x"], dy, w.shape, geometry));
    if (io.given("b" + i)) io.out("db" + i, family::channel_sum(k, dy));
    dx.push_back(k.conv2d_data_gradient(dy, w, io["x"].shape, geometry));
    begin += w.shape[0];
  }
  return dx;
}

// Σ of tensors of shape x in f32, in any order.
Value sum_of(Kernel& k, const std::vector<Value>& terms, const Shape& x) {
  std::vector<Value> parts;
  for (const Value& term : terms) parts.push_back(k.reshape(term, {1, x[0], x[1], x[2], x[3]}));
  return k.reshape(k.sum(k.join(parts, 0), {0}), x);
}

void backward_epilogue(Kernel& k, Io& io) { io.out("dx", sum_of(k, branch_gradients(k, io), io["x"].shape)); }

// From one end of the branches to the other.
KernelFunction backward_accumulated(std::size_t first, std::size_t last) {
  return [=](Kernel& k, Io& io) {
    const std::vector<Value> dx = branch_gradients(k, io);
    io.out("dx", k.add(k.round("dx2", k.add(k.round("dx" + numbers[first], dx[first]), dx[1])), dx[last]));
  };
}

// dx of each branch, as stored.
std::vector<Value> stored_gradients(Kernel& k, Io& io) {
  const std::vector<Value> dx = branch_gradients(k, io);
  return {k.round("dx1", dx[0]), k.round("dx2", dx[1]), k.round("dx3", dx[2])};
}

KernelFunction backward_separate(std::size_t first, std::size_t last, const char* sum) {
  return [=](Kernel& k, Io& io) {
    const std::vector<Value> dx = stored_gradients(k, io);
    io.out("dx", k.add(k.round(sum, k.add(dx[first], dx[1])), dx[last]));
  };
}

void backward_add_n(Kernel& k, Io& io) { io.out("dx", sum_of(k, stored_gradients(k, io), io["x"].shape)); }

// The merged convolution: W [oc, c, kh, kw] from the flat w1, w2, w3 one behind the other.
struct Merged {
  Shape w;
  Conv2dAttrs geometry;
  std::vector<std::vector<std::int64_t>> places;  // of branch i: where in W its elements lie, row-major
};

// W begins where the first tap of any branch meets x, and ends with the last.
Merged merged(const Io& io, std::int64_t oh, std::int64_t ow) {
  const Shape& x = io["x"].shape;
  Merged m;
  m.geometry.stride_h = geometry_of(io.attrs(), "1").stride_h;
  m.geometry.stride_w = geometry_of(io.attrs(), "1").stride_w;
  std::int64_t oc = 0, bottom = 1, right = 1;  // end of W, relative to the first element of x
  for (const std::string& i : numbers) {
    const Conv2dAttrs g = geometry_of(io.attrs(), i);
    const Shape& w = io["w" + i].shape;
    m.geometry.pad_top = std::max(m.geometry.pad_top, g.pad_top);
    m.geometry.pad_left = std::max(m.geometry.pad_left, g.pad_left);
    bottom = std::max(bottom, (w[2] - 1) * g.dilation_h + 1 - g.pad_top);
    right = std::max(right, (w[3] - 1) * g.dilation_w + 1 - g.pad_left);
    oc += w[0];
  }
  m.w = {oc, x[1], m.geometry.pad_top + bottom, m.geometry.pad_left + right};
  m.geometry.pad_bottom = std::max<std::int64_t>(0, (oh - 1) * m.geometry.stride_h + bottom - x[2]);
  m.geometry.pad_right = std::max<std::int64_t>(0, (ow - 1) * m.geometry.stride_w + right - x[3]);
  std::int64_t begin = 0;
  for (const std::string& i : numbers) {
    const Conv2dAttrs g = geometry_of(io.attrs(), i);
    const Shape& w = io["w" + i].shape;
    std::vector<std::int64_t>& places = m.places.emplace_back();
    for (std::int64_t element = 0; element < element_count(w); ++element) {
      const std::int64_t tap_w = element % w[3], tap_h = element / w[3] % w[2], filter = element / (w[1] * w[2] * w[3]);
      const std::int64_t channel = filter / (w[0] / g.groups) * w[1] + element / (w[2] * w[3]) % w[1];
      const std::int64_t row = tap_h * g.dilation_h + m.geometry.pad_top - g.pad_top;
      const std::int64_t column = tap_w * g.dilation_w + m.geometry.pad_left - g.pad_left;
      places.push_back((((begin + filter) * m.w[1] + channel) * m.w[2] + row) * m.w[3] + column);
    }
    begin += w[0];
  }
  return m;
}

Value merged_weights(Kernel& k, Io& io, const Merged& m) {
  std::vector<Value> flat;
  std::vector<std::int64_t> from(static_cast<std::size_t>(element_count(m.w)), -1);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Value& w = io["w" + numbers[i]];
    flat.push_back(k.reshape(w, {element_count(w.shape)}));
    for (const std::int64_t place : m.places[i]) from[static_cast<std::size_t>(place)] = at++;
  }
  return k.pick(k.join(flat, 0), m.w, std::make_shared<const std::vector<std::int64_t>>(std::move(from)), 0);
}

// The biases one behind the other; a branch that has none counts as 0.
Value merged_bias(Kernel& k, Io& io) {
  std::vector<Value> parts;
  bool any = false;
  for (const std::string& i : numbers) {
    any = any || io.given("b" + i);
    const Shape shape = {io["w" + i].shape[0]};
    parts.push_back(io.given("b" + i) ? io["b" + i] : family::repeated(k, k.reshape(k.constant(0), {1}), shape));
  }
  return any ? k.join(parts, 0) : Value{};
}

// Output height and width of the first branch, and so of all.
Merged merged_of(const Io& io) {
  const Conv2dAttrs g = geometry_of(io.attrs(), "1");
  const Shape &x = io["x"].shape, &w = io["w1"].shape;
  return merged(io, (x[2] + g.pad_top + g.pad_bottom - g.dilation_h * (w[2] - 1) - 1) / g.stride_h + 1,
                (x[3] + g.pad_left + g.pad_right - g.dilation_w * (w[3] - 1) - 1) / g.stride_w + 1);
}

void forward_merged(Kernel& k, Io& io) {
  const Merged m = merged_of(io);
  io.out("y", k.round("conv", k.conv2d(io["x"], merged_weights(k, io, m), merged_bias(k, io), m.geometry)));
}

void backward_merged(Kernel& k, Io& io) {
  const Merged m = merged_of(io);
  const Value& dy = io["dy"];
  io.out("dx", k.conv2d_data_gradient(dy, merged_weights(k, io, m), io["x"].shape, m.geometry));
  const Value dw = k.conv2d_weight_gradient(io["x"], dy, m.w, m.geometry);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Value& w = io["w" + numbers[i]];
    io.out("dw" + numbers[i], k.pick(dw, w.shape, std::make_shared<const std::vector<std::int64_t>>(m.places[i]), 0));
    if (io.given("b" + numbers[i])) io.out("db" + numbers[i], family::channel_sum(k, slice_of(k, dy, begin, w)));
    begin += w.shape[0];
  }
}

}  // namespace

OpDef fused_conv_concat() {
  OpDef op;
  op.name = "FusedConvConcat";
  op.aliases = {"ConvConcat"};
  op.formula = "y = conv(x, w1) + b1, conv(x, w2) + b2, conv(x, w3) + b3 one behind the other";
  op.body =
      "conv1 = conv2d(x, w1, b1);"
      "conv2 = conv2d(x, w2, b2, oc=oc2, kernel=kernel2, pad=pad2, dilation=dilation2, groups=groups2);"
      "conv3 = conv2d(x, w3, b3, oc=oc3, kernel=kernel3, pad=pad3, dilation=dilation3, groups=groups3);"
      "y = concat(conv1, conv2, conv3, axis=1)";
  const auto by_branch = [](const char* name, const char* doc, KernelFunction backward,
                            const std::vector<std::string>& stored, double budget) {
    Recipe recipe = {.name = name, .doc = doc, .forward = forward_epilogue, .backward = std::move(backward)};
    for (const std::string& point : stored) recipe.points[point] = "storage";
    recipe.budget = budget;
    return recipe;
  };
  // Storage roundings on the longest path to an output, its own included: one; dx after each branch: three.
  op.recipes = {
      by_branch("epilogue", "each branch writes its slice; dx summed over the branches in f32, rounded once",
                backward_epilogue, {}, 1),
      by_branch("accumulated", "each branch writes its slice, and adds its gradient to the dx in memory",
                backward_accumulated(0, 2), {"dx1", "dx2"}, 3),
      by_branch("accumulated_reversed", "as accumulated, from the last branch to the first", backward_accumulated(2, 0),
                {"dx3", "dx2"}, 3),
      by_branch("separate", "each branch writes its slice and a dx of its own; they are added up one after another",
                backward_separate(2, 0, "dx23"), {"dx1", "dx2", "dx3", "dx23"}, 3),
      by_branch("separate_reversed", "as separate, from the first branch to the last", backward_separate(0, 2, "dx12"),
                {"dx1", "dx2", "dx3", "dx12"}, 3),
      by_branch("add_n", "each branch writes its slice and a dx of its own; one kernel adds the three in f32",
                backward_add_n, {"dx1", "dx2", "dx3"}, 2),
      {.name = "merged",
       .doc = "one convolution, the kernels padded with zeros to a common size",
       .forward = forward_merged,
       .backward = backward_merged,
       .budget = 1}};
  return op;
}

}  // namespace fusecheck::ops
