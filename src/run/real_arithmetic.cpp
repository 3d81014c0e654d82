#include "run/real_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/simd.hpp"
#include "run/blocks.hpp"
#include "run/layout_ops.hpp"

namespace fusecheck::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Widths {
  double all = 0, added = 0;
};

Widths widths_of(const std::vector<double>& low, const std::vector<double>& high) {
  const std::size_t step = sampled_every(low.size());
  Widths widths;
  for (std::size_t i = 0; i < low.size(); i += step) add_width(low[i], high[i], widths.all, widths.added);
  return widths;
}

bool all_points(const std::vector<double>& low, const std::vector<double>& high) {
  std::size_t wide = 0;
  for (std::size_t i = 0; i < low.size(); ++i) wide += low[i] == high[i] || low[i] != low[i] ? 0 : 1;
  return wide == 0;
}

engine::Interval interval_of(const Real& x) { return {x.v->data(), x.lows().data(), x.highs().data()}; }
engine::Interval operator+(const engine::Interval& x, std::int64_t n) { return {x.v + n, x.low + n, x.high + n}; }
engine::IntervalOut operator+(const engine::IntervalOut& x, std::int64_t n) { return {x.v + n, x.low + n, x.high + n}; }

Real evaluate(engine::Operation operation, const Real& a, const Real& b, const Blocks& blocks,
              const ArithmeticOptions& options) {
  const engine::ElementwiseTable& runs = engine::kernels_for(options.simd).elementwise;
  const std::size_t n = blocks.left.size() * static_cast<std::size_t>(blocks.length);
  Real out;
  out.rigorous = std::max(a.rigorous, b.rigorous);
  out.f64_share = std::max({a.f64_share, b.f64_share, elementwise_f64_share});
  std::vector<double> v(n);
  if (!options.intervals || (a.exact() && b.exact())) {
    const engine::ExactRun run = of(runs.f64, operation, blocks.operands);
    bool all_f32 = true;
    for_each_run(blocks, [&](std::int64_t left, std::int64_t right, std::int64_t at) {
      all_f32 = run(a.v->data() + left, b.v->data() + right, v.data() + at, blocks.length) && all_f32;
    });
    if (!options.intervals || all_f32) {
      out.v = share(std::move(v));
      return out;
    }
  }
  std::vector<double> low(n);
  std::vector<double> high(n);
  const engine::IntervalRun run = of(runs.interval, operation, blocks.operands);
  const engine::Interval x = interval_of(a), y = interval_of(b);
  const engine::IntervalOut z = {v.data(), low.data(), high.data()};
  for_each_run(blocks, [&](std::int64_t left, std::int64_t right, std::int64_t at) {
    run(x + left, y + right, z + at, blocks.length);
  });
  out.v = share(std::move(v));
  const Widths widths = widths_of(low, high);
  if (widths.all == 0 && all_points(low, high)) return out;
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  const auto mixed = [&](double p, double q) { return mixed_share(widths.all, widths.added, p, q); };
  out.typical = mixed(a.typical, b.typical);
  out.bias = mixed(a.bias, b.bias);
  out.rms = mixed(a.rms, b.rms);
  return out;
}

// Σ|terms| of a result; m_a·m_b/b² for a quotient: |a|/|b|, each with its own relative magnitude.
double magnitude_of(Binary op, double ma, double mb, double b) {
  if (op == Binary::multiply) return ma * mb;
  return op == Binary::divide ? ma * mb / (b * b) : ma + mb;
}

Doubles magnitudes_of(Binary op, const Real& a, const Real& b) {
  std::vector<double> m(a.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    const double ma = a.magnitude == nullptr ? std::fabs((*a.v)[i]) : (*a.magnitude)[i];
    const double mb = b.magnitude == nullptr ? std::fabs((*b.v)[i]) : (*b.magnitude)[i];
    m[i] = magnitude_of(op, ma, mb, (*b.v)[i]);
  }
  return share(std::move(m));
}

Real map(const Real& x, auto function) {
  const auto one = [&](const std::vector<double>& in) {
    std::vector<double> values(in.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(in[i]);
    return values;
  };
  Real out = x;
  out.before = nullptr;
  out.contraction = nullptr;
  out.v = share(one(*x.v));
  if (!x.exact()) {
    out.low = share(one(*x.low));
    out.high = share(one(*x.high));
  }
  return out;
}

// An interval of everything includes NaN, which relu passes on: it stays one.
Real rectified(const Real& x) {
  Real out = map(x, [](double value) { return value > 0 ? value : value == value ? 0.0 : value; });
  if (x.exact()) return out;
  std::vector<double> low = *out.low;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if ((*x.low)[i] == -infinity && (*x.high)[i] == infinity) low[i] = -infinity;
  }
  out.low = share(std::move(low));
  return out;
}

Real absolute(const Real& x) {
  Real out = map(x, [](double value) { return std::fabs(value); });
  if (x.exact()) return out;
  std::vector<double> low(x.size()), high(x.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double a = (*x.low)[i], b = (*x.high)[i];
    low[i] = a > 0 ? a : b < 0 ? -b : a == a ? 0 : a;
    high[i] = larger(std::fabs(a), std::fabs(b));
    // An interval of everything includes NaN: it stays one.
    if (a == -infinity && b == infinity) low[i] = -infinity;
  }
  out.low = share(std::move(low));
  out.high = share(std::move(high));
  return out;
}

// The larger or the smaller of two: nothing is rounded, and both ends move as the operands' do.
Real chosen(bool most, const Real& a, const Real& b, const Blocks& blocks, bool magnitudes) {
  const std::size_t n = blocks.left.size() * static_cast<std::size_t>(blocks.length);
  const auto choose = [&](const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> out(n);
    for_each_pair(blocks, [&](std::size_t p, std::size_t q, std::size_t at) {
      out[at] = most ? larger(x[p], y[q]) : smaller(x[p], y[q]);
    });
    return share(std::move(out));
  };
  Real out;
  out.v = choose(*a.v, *b.v);
  if (!a.exact() || !b.exact()) {
    out.low = choose(a.lows(), b.lows());
    out.high = choose(a.highs(), b.highs());
  }
  out.typical = std::max(a.typical, b.typical);
  out.bias = std::max(a.bias, b.bias);
  out.rms = std::max(a.rms, b.rms);
  out.rigorous = std::max(a.rigorous, b.rigorous);
  out.f64_share = std::max(a.f64_share, b.f64_share);
  if (magnitudes) {  // of the one that is chosen: a bound that nothing reaches adds no error
    const auto size = [](const Real& x, std::size_t i) {
      return std::fabs(x.magnitude == nullptr ? (*x.v)[i] : (*x.magnitude)[i]);
    };
    std::vector<double> m(n);
    for_each_pair(blocks, [&](std::size_t p, std::size_t q, std::size_t at) {
      const double x = (*a.v)[p], y = (*b.v)[q];
      const bool first = most ? x > y : x < y, second = most ? y > x : y < x;
      m[at] = first ? size(a, p) : second ? size(b, q) : larger(size(a, p), size(b, q));
    });
    out.magnitude = share(std::move(m));
  }
  return out;
}

Real negated(const Real& x) {
  Real out = map(x, [](double value) { return -value; });
  std::swap(out.low, out.high);
  return out;
}

// 1 ULP (N12). A root is 0 or far above the smallest value of f32.
Real with_root_error(Real root, const ArithmeticOptions& options) {
  root.f64_share = std::max(root.f64_share, elementwise_f64_share);
  if (!options.intervals) return root;
  constexpr double relative = 2 * 0x1p-24 * (1 + 0x1p-20);
  std::vector<double> low = root.lows(), high = root.highs();
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double v = (*root.v)[i];
    const bool held = options.exact_quotients ? round_to(DType::f32, v) == v : v == 0 || v == infinity;
    if (v != v || (low[i] == high[i] && held)) continue;
    low[i] -= relative * low[i];
    high[i] += relative * high[i];
  }
  const Widths widths = widths_of(low, high);
  if (widths.all == 0 && all_points(low, high)) {
    root.low = root.high = nullptr;
    return root;
  }
  root.typical = mixed_share(widths.all, widths.added, root.typical, 0);
  root.bias = mixed_share(widths.all, widths.added, root.bias, 0);
  root.rms = mixed_share(widths.all, widths.added, root.rms, 0);
  root.low = share(std::move(low));
  root.high = share(std::move(high));
  return root;
}

Real square_root(const Real& x, const ArithmeticOptions& options) {
  Real root = map(x, [](double value) { return std::sqrt(value); });
  if (!x.exact()) {  // below 0 the low end stops at 0; a value below 0 gives NaN
    std::vector<double> low = *root.low;
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (low[i] != low[i] && (*root.v)[i] == (*root.v)[i]) low[i] = 0;
    }
    root.low = share(std::move(low));
  }
  if (x.magnitude != nullptr) {  // relative magnitude as that of the operand
    std::vector<double> m(x.size());
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = (*x.magnitude)[i] / std::max((*root.v)[i], 0x1p-1000);
    root.magnitude = share(std::move(m));
  }
  return with_root_error(std::move(root), options);
}

}  // namespace

std::size_t sampled_every(std::size_t elements) {
  constexpr std::size_t most = 4096;
  return std::max<std::size_t>(1, elements / most) | 1;
}

void add_width(double low, double high, double& all, double& added) {
  const double half = (high - low) / 2;
  if (!(half > 0) || half == infinity) return;
  all += half;
  added += std::min(half, 0x1p-24 * std::max(std::fabs(low), std::fabs(high)) + 0x1p-149);
}

double mixed_share(double all_widths, double added_widths, double a, double b) {
  const double part = all_widths > 0 ? added_widths / all_widths : 1;
  return part * 0.5 + (1 - part) * std::max(a, b);
}

Real apply(Unary op, const Real& x, const ArithmeticOptions& options) {
  if (op == Unary::negate) return negated(x);
  if (op == Unary::square_root) return square_root(x, options);
  if (op == Unary::relu) return rectified(x);
  if (op == Unary::absolute) return absolute(x);
  Real mask = map(x, [](double value) { return value > 0 ? 1.0 : 0.0; });
  mask.magnitude = nullptr;
  if (!mask.exact() && *mask.low == *mask.high) mask.low = mask.high = nullptr;
  return mask;
}

Real apply(Binary op, const Shaped& a, const Shaped& b, const ArithmeticOptions& options) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Blocks blocks = blocks_of(a.shape, b.shape, shape);
  if (op == Binary::maximum || op == Binary::minimum) {
    return chosen(op == Binary::maximum, a.real, b.real, blocks, options.magnitudes);
  }
  Real out = evaluate(operation_of(op, options.exact_quotients), a.real, b.real, blocks, options);
  if (options.magnitudes) {
    out.magnitude = magnitudes_of(op, broadcast(a.real, a.shape, shape), broadcast(b.real, b.shape, shape));
  }
  return out;
}

}  // namespace fusecheck::run
