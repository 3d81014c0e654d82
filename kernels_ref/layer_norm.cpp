// layer_norm over the axes from `axis` on (D elements a row):
//
//   mu = Σx/D,  v = Σ(x - mu)²/D,  rstd = 1/√(v + eps),  xhat = (x - mu)·rstd,  y = xhat·gamma + beta
//   dgamma = Σ_rows dy·xhat,  dbeta = Σ_rows dy,  g = dy·gamma
//   dx = rstd·(g - mean(g) - xhat·mean(g·xhat))
//
// Example (one row, eps = 0): x = [0, 0, 4, 4], gamma = [1, 2, 1, 4], beta = [1, 0, 0, 0], dy = [4, 0, 0, 0]
//   mu = 2, v = 4, rstd = 1/2, xhat = [-1, -1, 1, 1], y = [0, -2, 1, 4];  dgamma = [-4, 0, 0, 0], dbeta = dy
//   g = [4, 0, 0, 0]: mean(g) = 1, mean(g·xhat) = -1, dx = ([4, 0, 0, 0] - 1 + xhat)/2 = [1, -1, 0, 0].
//
// The variance takes two passes: E[x²] - mu² loses everything at mu/std = 4096 in f32.
#include "family/norm.hpp"

namespace fusecheck::ops {
namespace {

void forward(Kernel& k, Io& io) {
  const family::Rows rows = family::rows_of(io);
  const family::Normalised s = family::normalised(k, io["x"], rows.axes, io.attrs().number("eps"));
  io.save("saved_mean", s.mean);
  io.save("saved_rstd", s.rstd);
  io.out("y", k.add(k.mul(s.xhat, io["gamma"]), io["beta"]));
}

}  // namespace

OpDef layer_norm() {
  OpDef op = family::row_norm_op("layer_norm", "y = gamma*(x - mean(x))/sqrt(var(x) + eps) + beta", 1e-5);
  op.inputs.push_back(family::row_shift_port());
  op.saved = {family::row_statistic_port("saved_mean", "mean of each row"),
              family::row_statistic_port("saved_rstd", "1/sqrt(v + eps) of each row")};
  op.forward = forward;
  op.backward = [](Kernel& k, Io& io) {
    io.out("dx", family::layer_norm_gradients(k, io, io["x"], io["dy"], family::rows_of(io)));
  };
  return op;
}

}  // namespace fusecheck::ops
