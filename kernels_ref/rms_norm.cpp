// rms_norm over the axes from `axis` on (D elements a row):
//
//   rstd = 1/√(Σx²/D + eps),  xhat = x·rstd,  y = xhat·gamma
//   dgamma = Σ_rows dy·xhat,  g = dy·gamma,  dx = rstd·(g - xhat·mean(g·xhat))
//
// As legal: Σ x²·(1/D), the factor rounded and applied before the sum.
//
// Example (one row, eps = 0): x = [1, -1, 1, 1], gamma = [2, 2, 2, 4], dy = [1, 0, 0, 0]
//   rstd = 1, y = [2, -2, 2, 4];  dgamma = [1, 0, 0, 0],  g = [2, 0, 0, 0], mean(g·xhat) = 1/2
//   dx = [2, 0, 0, 0] - [1, -1, 1, 1]/2 = [3/2, 1/2, -1/2, -1/2].
#include "family/norm.hpp"

namespace fusecheck::ops {
namespace {

void forward(Kernel& k, Io& io) {
  const family::Rows rows = family::rows_of(io);
  const Value rstd = io.save("saved_rstd", family::rms_rstd(k, io["x"], rows.axes, io.attrs().number("eps")));
  io.out("y", k.mul(k.mul(io["x"], rstd), io["gamma"]));
}

}  // namespace

OpDef rms_norm() {
  OpDef op = family::row_norm_op("rms_norm", "y = gamma*x/sqrt(mean(x^2) + eps)", 1e-6);
  op.saved = {family::row_statistic_port("saved_rstd", "1/sqrt(mean(x^2) + eps) of each row")};
  op.forward = forward;
  op.backward = [](Kernel& k, Io& io) { io.out("dx", family::rms_norm_gradients(k, io, io["x"], io["dy"])); };
  return op;
}

}  // namespace fusecheck::ops
