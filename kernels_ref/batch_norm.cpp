// batch_norm over all axes but 1, for inference (given statistics) and training (those of the batch):
//
//   inference   y = (x - mean)·rstd·gamma + beta,  rstd = 1/sqrt(var + eps)
//   training    mu = Σx/n,  v = Σ(x - mu)²/n,  y = (x - mu)·rstd·gamma + beta,  rstd = 1/sqrt(v + eps)
//               running_mean = (1 - m)·mean + m·mu,   running_var = (1 - m)·var + m·v·n/(n - 1)
//
//   dbeta = Σdy,  dgamma = Σ dy·xhat  with xhat = (x - mu)·rstd
//   inference   dx = dy·gamma·rstd
//   training    dx = gamma·rstd·(dy - dbeta/n - xhat·dgamma/n)
//
// Example (training, one channel, eps = 0, gamma = 2, beta = 1): x = [1, 3]  ->  mu = 2, v = 1, xhat = [-1, 1], y =
// [-1, 3];
//   dy = [1, 0]  ->  dbeta = 1, dgamma = -1, dx = 2·([1, 0] - 0.5 - [-1, 1]·(-0.5)) = [0, 0].
//
// The variance takes two passes: E[x²] - E[x]² loses everything at mean/std ~ 4096 in f32, and is a lossy recipe.
// n = 1 has no unbiased variance: refused, as PyTorch does.
#include "family/batch_norm.hpp"

#include "family/conv.hpp"
#include "family/draw.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck::ops {
namespace {

bool exact(const DrawContext& draw) { return draw.set == DataSet::exact; }

//   exact   ±1, ±2      random  1 ± 0.5, different for each channel      stress  also 0 (every seventh) and negative
//   (every fifth)
double draw_gamma(const DrawContext& draw, std::int64_t c) {
  const auto i = static_cast<std::uint64_t>(c);
  if (exact(draw)) return (c % 2 == 0 ? 1 : 2) * (c % 3 == 2 ? -1 : 1);
  if (draw.set == DataSet::stress && c % 7 == 6) return 0;
  const double value = 0.5 + draw.rng.uniform(i);
  return draw.set == DataSet::stress && c % 5 == 4 ? -1.5 * value : value;
}

// Exact data, where y = gamma·rstd·(x - mean) + beta is a 0 that decides a ReLU's mask in these channels alone: mean
// and beta are 0, and x = 0 gives y = 0 whatever the device makes of rstd (N12). In the others beta is a quarter off the
// multiples of 1/2 that gamma·rstd·(x - mean), and a residual, can be.
bool centred(std::int64_t c) { return c % 4 == 1; }

double draw_mean(const DrawContext& draw, std::int64_t c) {
  const auto i = static_cast<std::uint64_t>(c);
  if (exact(draw)) return centred(c) ? 0 : static_cast<double>(draw.rng.integer(i, -2, 2));
  return 0.125 + 0.5 * draw.rng.normal(i);
}

double draw_beta(const DrawContext& draw, std::int64_t c) {
  if (!exact(draw)) return family::draw_shift(draw, c);
  return centred(c) ? 0 : family::draw_shift(draw, c) + 0.25;
}

//   exact   4^k - eps with eps a power of two, so that var + eps and its root are exact
//   random  0.5 to 1.5         stress  also near 0 (where eps matters: every fourth) and 0
double draw_var(const DrawContext& draw, std::int64_t c) {
  const auto i = static_cast<std::uint64_t>(c);
  if (exact(draw)) return (c % 3 == 0 ? 0.25 : c % 3 == 1 ? 1 : 4) - draw.attrs.number("eps");
  if (draw.set == DataSet::stress && c % 11 == 10) return 0;
  const double value = 0.5 + draw.rng.uniform(i);
  return draw.set == DataSet::stress && c % 4 == 3 ? value * 0x1p-12 : value;
}

void infer(Shapes& shapes, const Attrs& attrs) {
  const Shape& x = shapes.at("x");
  if (x.size() < 2) usage_error("batch_norm: x needs at least 2 dimensions n, c, got " + to_text(x));
  const Shape c = {x[1]};
  for (const char* name : {"gamma", "beta", "mean", "var"})
    family::require_shape(shapes, name, c, "one number for each channel");
  shapes["y"] = x;
  if (attrs.integer("bn") == 0) return;
  const std::int64_t n = element_count(x) / std::max<std::int64_t>(x[1], 1);
  if (n == 1) {
    usage_error("--bn train needs more than one value per channel, got 1 (x = " + to_text(x) +
                "): the unbiased variance divides by n - 1; use a larger batch or image");
  }
  for (const char* name : {"running_mean", "running_var", "saved_mean", "saved_rstd"}) shapes[name] = c;
}

// scale·x + (beta - scale·mean), as PyTorch computes it: as legal, and further from the exact value where |mean| is
// large.
Value scaled_and_shifted(Kernel& k, Io& io, const family::Statistics& s) {
  const Value& x = io["x"];
  const Value scale = k.mul(io["gamma"], s.rstd);
  const Value shift = k.sub(io["beta"], k.mul(s.mean, scale));
  return k.add(k.mul(x, family::per_channel(k, scale, x)), family::per_channel(k, shift, x));
}

void forward(Kernel& k, Io& io) {
  const Value& x = io["x"];
  const bool training = io.attrs().integer("bn") == 1;
  const family::Statistics s = training ? family::batch_statistics(k, io, x) : family::given_statistics(k, io);
  const Value xhat = k.mul(k.sub(x, family::per_channel(k, s.mean, x)), family::per_channel(k, s.rstd, x));
  const Value z = k.add(k.mul(xhat, family::per_channel(k, io["gamma"], x)), family::per_channel(k, io["beta"], x));
  io.out("y", training ? z : k.either(z, scaled_and_shifted(k, io, s)));
}

void backward(Kernel& k, Io& io) {
  const Value& x = io["x"];
  const Value& dy = io["dy"];
  const bool training = io.attrs().integer("bn") == 1;
  const family::Statistics s =
      training ? family::Statistics{io["saved_mean"], {}, io["saved_rstd"]} : family::given_statistics(k, io);
  const Value xhat = k.mul(k.sub(x, family::per_channel(k, s.mean, x)), family::per_channel(k, s.rstd, x));
  const Value dbeta = family::channel_sum(k, dy);
  const Value dgamma = family::channel_sum(k, k.mul(dy, xhat));
  io.out("dbeta", dbeta);
  io.out("dgamma", dgamma);
  const Value scale = k.mul(io["gamma"], s.rstd);
  io.out("dx", training ? family::training_gradient(k, dy, xhat, scale, dgamma, dbeta)
                        : k.mul(dy, family::per_channel(k, scale, x)));
}

}  // namespace

OpDef batch_norm() {
  OpDef op;
  op.name = "batch_norm";
  op.formula = "y = gamma*(x - mean)/sqrt(var + eps) + beta";
  const auto vector = [](const char* name, const char* doc, Draw draw, bool gradient) {
    return Port{.name = name, .role = Role::parameter, .doc = doc, .draw = draw, .gradient = gradient};
  };
  op.inputs = {{.name = "x", .doc = "n, c, ...", .draw = family::draw_activation},
               vector("gamma", "c", draw_gamma, true),
               vector("beta", "c", draw_beta, true),
               vector("mean", "c: running mean", draw_mean, false),
               vector("var", "c: running variance", draw_var, false)};
  op.outputs = {{.name = "y", .doc = "the shape of x"},
                {.name = "running_mean", .role = Role::parameter, .doc = "c", .training_only = true},
                {.name = "running_var", .role = Role::parameter, .doc = "c", .training_only = true}};
  op.saved = {{.name = "saved_mean", .role = Role::parameter, .doc = "c: mean of the batch", .training_only = true},
              {.name = "saved_rstd", .role = Role::parameter, .doc = "c: 1/sqrt(v + eps)", .training_only = true}};
  op.attrs = {
      {.name = "bn", .fallback = {0}, .doc = "0 inference, 1 training", .low = 0, .high = 1},
      {.name = "eps", .fallback = {1e-5}, .doc = "added to the variance", .low = 0, .high = 1e6, .whole = false},
      {.name = "momentum",
       .fallback = {0.1},
       .doc = "weight of the batch in the running statistics",
       .low = 0,
       .high = 1,
       .whole = false},
  };
  op.infer = infer;
  op.forward = forward;
  op.backward = backward;
  return op;
}

}  // namespace fusecheck::ops
