#include "family/conv_bn.hpp"

#include "family/batch_norm.hpp"
#include "family/conv.hpp"
#include "family/move.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {
namespace {

Value convolution(Kernel& k, Io& io, const Value& w, const Value& b) {
  return k.conv2d(io["x"], w, b, conv2d_geometry(io.attrs()));
}
Value data_gradient(Kernel& k, Io& io, const Value& dz, const Value& w) {
  return k.conv2d_data_gradient(dz, w, io["x"].shape, conv2d_geometry(io.attrs()));
}
Value weight_gradient(Kernel& k, Io& io, const Value& dz) {
  return k.conv2d_weight_gradient(io["x"], dz, io["w"].shape, conv2d_geometry(io.attrs()));
}

// b - mu, or -mu without a bias.
Value shifted_mean(Kernel& k, Io& io, const Value& mean) {
  return io.given("b") ? k.sub(io["b"], mean) : k.unary(Unary::negate, mean);
}

// ---- inference ----------------------------------------------------------------------------------------------------

// What becomes of the convolution: it never leaves the accumulator; it is written for the backward, while BN goes on
// with the accumulator; or BN reads what was written.
enum class Convolution : std::uint8_t { kept, saved, stored };

Value convolution_for_bn(Kernel& k, Io& io, Convolution becomes) {
  const Value accumulator = convolution(k, io, io["w"], io.optional("b"));
  if (becomes == Convolution::kept) return k.round("conv", accumulator);
  const Value written = io.save("conv", accumulator);
  return becomes == Convolution::stored ? written : accumulator;
}

// The accumulator starts from b, so t is beta - s·mu here.
Value scaled_and_shifted(Kernel& k, Io& io, const Value& conv) {
  const Statistics bn = given_statistics(k, io);
  const Value s = k.mul(io["gamma"], bn.rstd);
  const Value t = k.sub(io["beta"], k.mul(s, bn.mean));
  return k.round("bn", k.add(k.mul(conv, per_channel(k, s, conv)), per_channel(k, t, conv)));
}

Value z_of_epilogue(Kernel& k, Io& io, Convolution becomes) {
  return scaled_and_shifted(k, io, convolution_for_bn(k, io, becomes));
}

void forward_epilogue(Kernel& k, Io& io, const Tail& tail, Convolution becomes) {
  io.out("y", tail.forward(k, io, z_of_epilogue(k, io, becomes)));
}

Value folded_weights(Kernel& k, Io& io, const Value& s) {
  return k.operand("w_folded", k.mul(io["w"], per_filter(k, s, io["w"])));
}

Value z_of_fold(Kernel& k, Io& io) {
  const Statistics bn = given_statistics(k, io);
  const Value s = k.mul(io["gamma"], bn.rstd);
  const Value w = folded_weights(k, io, s);
  const Value b = k.round("b_folded", k.add(io["beta"], k.mul(s, shifted_mean(k, io, bn.mean))));
  return convolution(k, io, w, b);
}

void forward_fold(Kernel& k, Io& io, const Tail& tail) { io.out("y", tail.forward(k, io, z_of_fold(k, io))); }

// dgamma and dbeta without the convolution (see the header); h = wgrad(x, g).
Value bn_gradients(Kernel& k, Io& io, const Value& g, const Value& h, const Statistics& bn) {
  const Value kept = channel_sum(k, g);
  const Value dbeta = k.either(io.out("dbeta", kept), kept);  // of a narrower type: read back, or still in the kernel
  const Value along_w = filter_sum(k, k.mul(io["w"], h));
  io.out("dgamma", k.mul(k.add(along_w, k.mul(shifted_mean(k, io, bn.mean), dbeta)), bn.rstd));
  return dbeta;
}

// dw, dgamma, dbeta, db from one weight gradient of g.
void parameter_gradients(Kernel& k, Io& io, const Value& g, const Value& s, const Statistics& bn) {
  const Value h = weight_gradient(k, io, k.operand("dz", g));
  const Value dbeta = bn_gradients(k, io, g, h, bn);
  io.out("dw", k.mul(h, per_filter(k, s, h)));
  if (!io.given("b")) return;
  // s·Σg or Σ s·g: where g cancels, the roundings of the products do not.
  io.out("db", k.either(k.mul(s, dbeta), channel_sum(k, k.mul(g, per_channel(k, s, g)))));
}

// dx, dw, db from one dconv in the operand type; a kernel may sum db before it rounds.
void stored_gradients(Kernel& k, Io& io, const Value& kept) {
  const Value dconv = k.operand("dconv", kept);
  io.out("dx", data_gradient(k, io, dconv, io["w"]));
  io.out("dw", weight_gradient(k, io, dconv));
  if (io.given("b")) io.out("db", channel_sum(k, k.either(dconv, kept)));
}

void backward_epilogue(Kernel& k, Io& io, const Tail& tail) {
  const Statistics bn = given_statistics(k, io);
  const Value s = k.mul(io["gamma"], bn.rstd);
  const Value g = tail.backward(k, io, io["dy"]);
  parameter_gradients(k, io, g, s, bn);
  io.out("dx", data_gradient(k, io, k.operand("dconv", k.mul(g, per_channel(k, s, g))), io["w"]));
}

void backward_fold(Kernel& k, Io& io, const Tail& tail) {
  const Statistics bn = given_statistics(k, io);
  const Value s = k.mul(io["gamma"], bn.rstd);
  const Value g = tail.backward(k, io, io["dy"]);
  parameter_gradients(k, io, g, s, bn);
  io.out("dx", data_gradient(k, io, k.operand("dz", g), folded_weights(k, io, s)));
}

void backward_conv_stored(Kernel& k, Io& io, const Tail& tail) {
  const Statistics bn = given_statistics(k, io);
  const Value g = tail.backward(k, io, io["dy"]);
  const Value& conv = io["conv"];
  const Value xhat = k.mul(k.sub(conv, per_channel(k, bn.mean, conv)), per_channel(k, bn.rstd, conv));
  io.out("dbeta", channel_sum(k, g));
  io.out("dgamma", channel_sum(k, k.mul(g, xhat)));
  stored_gradients(k, io, k.mul(g, per_channel(k, k.mul(io["gamma"], bn.rstd), g)));
}

void backward_dconv_stored(Kernel& k, Io& io, const Tail& tail) {
  const Statistics bn = given_statistics(k, io);
  const Value g = tail.backward(k, io, io["dy"]);
  bn_gradients(k, io, g, weight_gradient(k, io, k.operand("dz", g)), bn);
  stored_gradients(k, io, k.mul(g, per_channel(k, k.mul(io["gamma"], bn.rstd), g)));
}

// ---- training -----------------------------------------------------------------------------------------------------

using StatisticsOf = Statistics (*)(Kernel&, Io&, const Value&);

Value normalised(Kernel& k, const Value& conv, const Value& mean, const Value& rstd) {
  return k.mul(k.sub(conv, per_channel(k, mean, conv)), per_channel(k, rstd, conv));
}
Value affine(Kernel& k, Io& io, const Value& xhat) {
  return k.round("bn", k.add(k.mul(xhat, per_channel(k, io["gamma"], xhat)), per_channel(k, io["beta"], xhat)));
}

void forward_training(Kernel& k, Io& io, const Tail& tail, StatisticsOf statistics, bool from_stored) {
  const Value accumulator = convolution(k, io, io["w"], io.optional("b"));
  const Value stored = io.save("conv", accumulator);
  const Value& conv = from_stored ? stored : accumulator;
  const Statistics bn = statistics(k, io, conv);
  io.out("y", tail.forward(k, io, affine(k, io, normalised(k, conv, bn.mean, bn.rstd))));
}

void backward_training(Kernel& k, Io& io, const Tail& tail) {
  const Value g = tail.backward(k, io, io["dy"]);
  const Value& conv = io["conv"];
  const Value& rstd = io["saved_rstd"];
  const Value xhat = normalised(k, conv, io["saved_mean"], rstd);
  const Value dbeta = channel_sum(k, g);
  const Value dgamma = channel_sum(k, k.mul(g, xhat));
  io.out("dbeta", dbeta);
  io.out("dgamma", dgamma);
  stored_gradients(k, io, training_gradient(k, g, xhat, k.mul(io["gamma"], rstd), dgamma, dbeta));
}

// The tail of a kernel that stores no z: `z_of` forms it again.
Tail recomputing(const Tail& tail, Value (*z_of)(Kernel&, Io&)) {
  Tail again = tail;
  again.forward = [tail](Kernel& k, Io&, const Value& z) { return tail.activation(k, z); };
  again.backward = [tail, z_of](Kernel& k, Io& io, const Value& dy) { return k.mul(dy, tail.slope(k, z_of(k, io))); };
  return again;
}

Value z_from_accumulator(Kernel& k, Io& io) { return z_of_epilogue(k, io, Convolution::kept); }
Value z_from_stored(Kernel& k, Io& io) { return scaled_and_shifted(k, io, io["conv"]); }
Value z_from_stored_in_training(Kernel& k, Io& io) {
  return affine(k, io, normalised(k, io["conv"], io["saved_mean"], io["saved_rstd"]));
}

}  // namespace

Value with_residual(Kernel& k, Io& io, const Value& z) {
  const Value sum = k.add(z, io["residual"]);
  if (sum.shape != z.shape) {
    usage_error("residual is " + to_text(io["residual"].shape) + ", the convolution " + to_text(z.shape) +
                "; the residual must have that shape or broadcast to it");
  }
  return sum;
}

Value residual_gradient(Kernel& k, Io& io, const Value& dz) {
  const Shape& residual = io["residual"].shape;
  const Value stored = io.out("dresidual", sum_to(k, dz, residual));
  return residual == dz.shape ? stored : dz;
}

std::vector<Recipe> conv_recipes(Tail tail) {
  Recipe epilogue;
  epilogue.name = "epilogue";
  epilogue.doc = "the tail applied to the f32 accumulator, one rounding at the end";
  epilogue.forward = [tail](Kernel& k, Io& io) {
    io.out("y", tail.forward(k, io, k.round("conv", convolution(k, io, io["w"], io.optional("b")))));
  };
  epilogue.backward = [tail](Kernel& k, Io& io) {
    const Value dz = k.operand("dconv", tail.backward(k, io, io["dy"]));
    if (io.given("b")) io.out("db", channel_sum(k, dz));
    io.out("dx", data_gradient(k, io, dz, io["w"]));
    io.out("dw", weight_gradient(k, io, dz));
  };
  epilogue.budget = 1;  // y, and dz, which is dy or 0: one rounding each
  return {epilogue};
}

std::vector<Recipe> conv_bn_recipes(Tail tail) {
  const auto recipe = [&tail](const char* name, const char* doc, bool training, double budget, KernelFunction forward,
                              KernelFunction backward) {
    Recipe r;
    r.name = name;
    r.doc = doc;
    r.training = training;
    r.budget = budget + tail.roundings;
    r.forward = std::move(forward);
    r.backward = std::move(backward);
    return r;
  };
  const auto run_tail = [](const Tail& own, auto function, auto... options) {
    return [=](Kernel& k, Io& io) { function(k, io, own, options...); };
  };
  const auto run = [&](auto function, auto... options) { return run_tail(tail, function, options...); };
  const auto train = [&](StatisticsOf statistics, bool from_stored) {
    return run_tail(tail, forward_training, statistics, from_stored);
  };
  std::vector<Recipe> recipes = {
      // Budgets count storage roundings on the longest path to an output, its own included: dconv and dx (or dw); W'
      // and y.
      recipe("epilogue", "BN applied to the f32 accumulator, one rounding at the end", false, 2,
             run(forward_epilogue, Convolution::kept), run(backward_epilogue)),
      recipe("fold", "BN folded into the weights: W' = W*s rounded once to storage, b' kept in f32", false, 2,
             run(forward_fold), run(backward_fold)),
      recipe("conv_stored", "convolution stored, then BN and the tail as one kernel", false, 3,
             run(forward_epilogue, Convolution::stored), run(backward_conv_stored)),
      recipe("dconv_stored", "y as epilogue; the backward stores dconv = s*dz once, for dx, dw and db", false, 2,
             run(forward_epilogue, Convolution::kept), run(backward_dconv_stored)),
      recipe("conv_saved", "y as epilogue; the convolution is stored for the backward alone, which stores dconv", false,
             2, run(forward_epilogue, Convolution::saved), run(backward_conv_stored)),
      recipe("epilogue", "two-pass statistics and BN from the f32 accumulator; the backward reads the stored conv",
             true, 4, train(batch_statistics, false), run(backward_training)),
      recipe("conv_stored", "convolution stored; two-pass statistics and BN read it", true, 4,
             train(batch_statistics, true), run(backward_training)),
      recipe("one_pass", "as conv_stored, variance as E[x^2] - mean^2", true, 4, train(batch_statistics_one_pass, true),
             run(backward_training)),
  };
  recipes.back().lossy = true;
  if (!tail.slope) return recipes;
  // One rounding, of conv in place of z, is on the path to dz.
  const Tail infers = recomputing(tail, z_from_stored), trains = recomputing(tail, z_from_stored_in_training);
  const Tail epilogue = recomputing(tail, z_from_accumulator), fold = recomputing(tail, z_of_fold);
  const char* doc = "as the recipe without _recompute; the backward forms BN again in f32 from the stored convolution";
  const char* from_x = "as the recipe without _recompute; the backward forms the convolution and BN again in f32";
  recipes.insert(
      recipes.end(),
      {recipe("epilogue_recompute", from_x, false, 2, run_tail(epilogue, forward_epilogue, Convolution::kept),
              run_tail(epilogue, backward_epilogue)),
       recipe("fold_recompute", from_x, false, 2, run_tail(fold, forward_fold), run_tail(fold, backward_fold)),
       recipe("conv_stored_recompute", doc, false, 3, run_tail(infers, forward_epilogue, Convolution::stored),
              run_tail(infers, backward_conv_stored)),
       recipe("conv_saved_recompute", doc, false, 3, run_tail(infers, forward_epilogue, Convolution::saved),
              run_tail(infers, backward_conv_stored)),
       recipe("epilogue_recompute", doc, true, 4,
              run_tail(trains, forward_training, StatisticsOf{batch_statistics}, false),
              run_tail(trains, backward_training)),
       recipe("conv_stored_recompute", doc, true, 4,
              run_tail(trains, forward_training, StatisticsOf{batch_statistics}, true),
              run_tail(trains, backward_training))});
  return recipes;
}

std::vector<Structural> conv_bn_structural() {
  return {{"db", "zero in exact arithmetic: training BN subtracts the mean, and any bias with it", true}};
}

}  // namespace fusecheck::family
