// Statistics and gradients of batch normalisation, as its primitive and the fused ops use them. Formulas:
// batch_norm.cpp.
#pragma once

#include "fusecheck/op.hpp"

namespace fusecheck::family {

struct Statistics {
  Value mean, var, rstd;  // [c] each
};

// mean, var as given; rstd = 1/sqrt(var + eps).
Statistics given_statistics(Kernel& k, Io& io);

// mu and v of x in two passes; saves saved_mean and saved_rstd, puts out running_mean and running_var.
Statistics batch_statistics(Kernel& k, Io& io, const Value& x);

// The same with v = E[x²] - mu², which loses accuracy when |mu| is large against the deviation: a lossy recipe.
Statistics batch_statistics_one_pass(Kernel& k, Io& io, const Value& x);

// scale·(dy - dbeta/n - xhat·dgamma/n), scale = gamma·rstd.
Value training_gradient(Kernel& k, const Value& dy, const Value& xhat, const Value& scale, const Value& dgamma,
                        const Value& dbeta);

}  // namespace fusecheck::family
