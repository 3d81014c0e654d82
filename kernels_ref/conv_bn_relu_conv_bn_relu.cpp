// ConvBnReluConvBnRelu:  mid = relu(bn1(conv(x, w1) + b1)),  y = relu(bn2(conv(mid, w2) + b2))
//
// A vertical pair of ConvBnRelu: mid is kept on chip and enters the second convolution in the operand type. Inference;
// z = s·conv + t, s = gamma·rstd, t = beta - s·mean in both halves (family/conv_bn.hpp).
//
//   backward of a half with upstream gradient d:  g = d·[z > 0];  h = wgrad(x, g)
//     dw = s·h;  dbeta = Σg;  db = s·Σg;  dgamma = (<w, h> + (b - mean)·Σg)·rstd;  dx = dgrad(s·g, w)
//   dx of the second half is d of the first, in f32; mid is computed again.
//
// Recipes (those of ConvBnRelu, twice; family/conv_bn.hpp):
//   epilogue      z as above from the accumulators; the backward as above
//   fold          W' = W·s rounded to the operand type, b' = beta + s·(b - mean) in f32: z = conv(., W') + b';
//                 dx = dgrad(g, W')
//   dconv_stored  y as epilogue; each half's backward is a kernel of its own: it stores its dx, and dconv = s·g, which
//   dx,
//                 dw and db read
//
// Example (1x1, one channel, no biases, rstd = 1, means and betas 0): x = 3, w1 = 2, gamma1 = 1: mid = 6; w2 = -1,
// gamma2 = -2: y = 12. dy = 1: h2 = 6, dw2 = -12, dgamma2 = <-1, 6> = -6, dbeta2 = 1, dmid = -2·(-1) = 2; h1 = 3·2 = 6,
// dw1 = 6, dgamma1 = 2·6 = 12, dbeta1 = 2, dx = 4.
#include "family/conv.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

// One half: the names of its tensors end in its number.
struct Half {
  std::string number;
  Conv2dAttrs geometry;
  Value w, b, gamma, beta, mean, rstd, s;
};

Half half_of(Kernel& k, Io& io, const std::string& number) {
  Half h;
  h.number = number;
  Attrs attrs;
  for (const char* name : {"kernel", "stride", "pad", "dilation", "groups"}) {
    attrs.set(name, io.attrs().list(name + (number == "2" ? number : "")));
  }
  h.geometry = family::conv2d_geometry(attrs);
  h.w = io["w" + number];
  h.b = io.optional("b" + number);
  h.gamma = io["gamma" + number];
  h.beta = io["beta" + number];
  h.mean = io["mean" + number];
  const Value var = io["var" + number];
  h.rstd = k.div(k.constant(1), k.sqrt(k.add(var, k.constant(io.attrs().number("eps")))));
  h.s = k.mul(h.gamma, h.rstd);
  return h;
}

Value folded_weights(Kernel& k, const Half& h) {
  return k.operand("w_folded" + h.number, k.mul(h.w, family::per_filter(k, h.s, h.w)));
}

Value shifted_mean(Kernel& k, const Half& h) { return h.b ? k.sub(h.b, h.mean) : k.negate(h.mean); }

Value folded_z_of(Kernel& k, const Half& h, const Value& x) {
  const Value b = k.round("b_folded" + h.number, k.add(h.beta, k.mul(h.s, shifted_mean(k, h))));
  return k.conv2d(x, folded_weights(k, h), b, h.geometry);
}

Value z_of(Kernel& k, const Half& h, const Value& x) {
  const Value conv = k.round("conv" + h.number, k.conv2d(x, h.w, h.b, h.geometry));
  const Value t = k.sub(h.beta, k.mul(h.s, h.mean));
  return k.round("bn" + h.number,
                 k.add(k.mul(conv, family::per_channel(k, h.s, conv)), family::per_channel(k, t, conv)));
}

Value mid_of(Kernel& k, const Value& z) { return k.operand("mid", k.relu(z)); }

using PreActivation = Value (*)(Kernel&, const Half&, const Value& x);

KernelFunction forward(PreActivation z) {
  return [z](Kernel& k, Io& io) {
    const Value z1 = z(k, half_of(k, io, "1"), io["x"]);
    io.save("mid_mask", k.positive(z1));
    const Value z2 = z(k, half_of(k, io, "2"), mid_of(k, z1));
    io.save("y_mask", k.positive(z2));
    io.out("y", k.relu(z2));
  };
}

// dgamma and dbeta of a half from g and h = wgrad(x, g); returns Σg.
Value bn_gradients(Kernel& k, Io& io, const Half& h, const Value& g, const Value& wgrad) {
  const Value dbeta = io.out("dbeta" + h.number, family::channel_sum(k, g));
  const Value along_w = family::filter_sum(k, k.mul(h.w, wgrad));
  io.out("dgamma" + h.number, k.mul(k.add(along_w, k.mul(shifted_mean(k, h), dbeta)), h.rstd));
  return dbeta;
}

Value weight_gradient(Kernel& k, const Half& h, const Value& x, const Value& g) {
  return k.conv2d_weight_gradient(x, k.operand("dz" + h.number, g), h.w.shape, h.geometry);
}

// The parameters' gradients of a half from g; its dx. `folded`: dx = dgrad(g, W').
Value backward_half(Kernel& k, Io& io, const Half& h, const Value& x, const Value& g, bool folded) {
  const Value wgrad = weight_gradient(k, h, x, g);
  const Value dbeta = bn_gradients(k, io, h, g, wgrad);
  io.out("dw" + h.number, k.mul(wgrad, family::per_filter(k, h.s, wgrad)));
  if (h.b) io.out("db" + h.number, k.mul(h.s, dbeta));
  if (folded) {
    return k.conv2d_data_gradient(k.operand("dz" + h.number, g), folded_weights(k, h), x.shape, h.geometry);
  }
  const Value dconv = k.operand("dconv" + h.number, k.mul(g, family::per_channel(k, h.s, g)));
  return k.conv2d_data_gradient(dconv, h.w, x.shape, h.geometry);
}

Value backward_stored_half(Kernel& k, Io& io, const Half& h, const Value& x, const Value& g) {
  bn_gradients(k, io, h, g, weight_gradient(k, h, x, g));
  const Value kept = k.mul(g, family::per_channel(k, h.s, g));
  const Value dconv = k.operand("dconv" + h.number, kept);
  io.out("dw" + h.number, k.conv2d_weight_gradient(x, dconv, h.w.shape, h.geometry));
  if (h.b) io.out("db" + h.number, family::channel_sum(k, k.either(dconv, kept)));
  return k.conv2d_data_gradient(dconv, h.w, x.shape, h.geometry);
}

using BackwardHalf = Value (*)(Kernel&, Io&, const Half&, const Value& x, const Value& g);

KernelFunction backward(PreActivation z, BackwardHalf backward_half) {
  return [z, backward_half](Kernel& k, Io& io) {
    const Half first = half_of(k, io, "1"), second = half_of(k, io, "2");
    const Value mid = mid_of(k, z(k, first, io["x"]));
    const Value dmid = backward_half(k, io, second, mid, k.mul(io["dy"], io["y_mask"]));
    io.out("dx", backward_half(k, io, first, io["x"], k.round("dmid", k.mul(dmid, io["mid_mask"]))));
  };
}

Value backward_kept_half(Kernel& k, Io& io, const Half& h, const Value& x, const Value& g) {
  return backward_half(k, io, h, x, g, false);
}
Value backward_folded_half(Kernel& k, Io& io, const Half& h, const Value& x, const Value& g) {
  return backward_half(k, io, h, x, g, true);
}

}  // namespace

OpDef conv_bn_relu_conv_bn_relu() {
  OpDef op;
  op.name = "ConvBnReluConvBnRelu";
  op.formula = "y = relu(bn2(conv(relu(bn1(conv(x, w1) + b1)), w2) + b2))";
  op.body =
      "conv1 = conv2d(x, w1, b1); bn1 = batch_norm(conv1, gamma1, beta1, mean1, var1, bn=0); mid = relu(bn1);"
      "conv2 = conv2d(mid, w2, b2, oc=oc2, kernel=kernel2, stride=stride2, pad=pad2, dilation=dilation2, "
      "groups=groups2);"
      "bn2 = batch_norm(conv2, gamma2, beta2, mean2, var2, bn=0); y = relu(bn2)";
  // mid and y; on the way to dw1: mid's mask aside, dconv2, dz1 and dw1 itself; dx: dconv2, dconv1, dx. Folded: no
  // budget, since what W1' moves across 0 in mid changes gradients by more than any count of roundings. With dmid
  // stored: dconv2, dmid, dconv1, dx.
  op.recipes = {{.name = "epilogue",
                 .doc = "both as one kernel, BN applied to the accumulators, the inner activation kept on chip",
                 .forward = forward(z_of),
                 .backward = backward(z_of, backward_kept_half),
                 .budget = 4},
                {.name = "fold",
                 .doc = "BN folded into the weights of both: W' = W*s rounded once to storage, b' kept in f32",
                 .forward = forward(folded_z_of),
                 .backward = backward(folded_z_of, backward_folded_half)},
                {.name = "dconv_stored",
                 .doc = "y as epilogue; the backward of each half stores dconv = s*dz, for dx, dw and db, and its dx",
                 .forward = forward(z_of),
                 .backward = backward(z_of, backward_stored_half),
                 .points = {{"dmid", "storage"}},
                 .budget = 4}};
  return op;
}

}  // namespace fusecheck::ops
