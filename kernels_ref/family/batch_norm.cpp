#include "family/batch_norm.hpp"

#include "family/conv.hpp"

namespace fusecheck::family {
namespace {

Value rstd_of(Kernel& k, Io& io, const Value& var) {
  return k.div(k.constant(1), k.sqrt(k.add(var, k.constant(io.attrs().number("eps")))));
}

// running = (1 - m)·old + m·batch
Value running(Kernel& k, Io& io, const Value& old, const Value& batch) {
  const Value m = k.constant(io.attrs().number("momentum"));
  return k.add(k.mul(k.sub(k.constant(1), m), old), k.mul(m, batch));
}

Statistics finish(Kernel& k, Io& io, const Value& x, const Value& mean, const Value& var) {
  const double n = channel_count(x);
  io.out("running_mean", running(k, io, io["mean"], mean));
  io.out("running_var", running(k, io, io["var"], k.div(k.mul(var, k.constant(n)), k.constant(n - 1))));
  return {io.save("saved_mean", mean), var, io.save("saved_rstd", rstd_of(k, io, var))};
}

}  // namespace

Statistics given_statistics(Kernel& k, Io& io) { return {io["mean"], io["var"], rstd_of(k, io, io["var"])}; }

Statistics batch_statistics(Kernel& k, Io& io, const Value& x) {
  const Value n = k.constant(channel_count(x));
  // As mean_in_any_order: one pass over the data gives the mean of Welford's statistics, whose terms are rounded.
  const Value by_shares = channel_sum(k, k.mul(x, k.div(k.constant(1), n)));
  const Value mean = k.either(k.div(channel_sum(k, x), n), by_shares);
  const Value d = k.sub(x, per_channel(k, mean, x));
  return finish(k, io, x, mean, k.div(channel_sum(k, k.mul(d, d)), n));
}

Statistics batch_statistics_one_pass(Kernel& k, Io& io, const Value& x) {
  const Value n = k.constant(channel_count(x));
  const Value mean = k.div(channel_sum(k, x), n);
  return finish(k, io, x, mean, k.sub(k.div(channel_sum(k, k.mul(x, x)), n), k.mul(mean, mean)));
}

Value training_gradient(Kernel& k, const Value& dy, const Value& xhat, const Value& scale, const Value& dgamma,
                        const Value& dbeta) {
  const Value n = k.constant(channel_count(dy));
  const Value centred = k.sub(dy, per_channel(k, k.div(dbeta, n), dy));
  const Value projected = k.mul(xhat, per_channel(k, k.div(dgamma, n), dy));
  return k.mul(per_channel(k, scale, dy), k.sub(centred, projected));
}

}  // namespace fusecheck::family
