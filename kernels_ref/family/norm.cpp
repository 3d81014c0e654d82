#include "family/norm.hpp"

#include <utility>

#include "family/conv.hpp"
#include "family/draw.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {

Rows rows_of(const Shape& x, int axis) {
  const int rank = static_cast<int>(x.size());
  const int first = axis < 0 ? axis + rank : axis;
  Rows rows;
  for (int i = 0; i < rank; ++i) (i < first ? rows.leading : rows.axes).push_back(i);
  return rows;
}

Rows rows_of(const Io& io) { return rows_of(io["x"].shape, static_cast<int>(io.attrs().integer("axis"))); }

namespace {

Shape row_shape(const Shape& x, const Rows& rows) {
  return {x.begin() + static_cast<std::ptrdiff_t>(rows.leading.size()), x.end()};
}

Shape statistic_shape(const Shape& x, const Rows& rows) {
  Shape shape = x;
  for (const int axis : rows.axes) shape[static_cast<std::size_t>(axis)] = 1;
  return shape;
}

Port parameter(std::string name, std::string doc, Draw draw) {
  return {.name = std::move(name), .role = Role::parameter, .doc = std::move(doc), .draw = draw};
}

AttrSpec eps_attr(double eps) {
  return {.name = "eps", .fallback = {eps}, .doc = "added to the variance", .high = 1e6, .whole = false};
}

}  // namespace

Value sum_rows(Kernel& k, const Value& x, const Rows& rows) {
  return k.reshape(rows.leading.empty() ? x : k.sum(x, rows.leading), row_shape(x.shape, rows));
}

void infer_rows(Shapes& shapes, const Attrs& attrs) {
  const Shape& x = shapes.at("x");
  axes_of(attrs, "axis", x.size());  // refuses an axis that x has not
  const Rows rows = rows_of(x, static_cast<int>(attrs.integer("axis")));
  if (count_along(x, rows.axes) == 0) {
    usage_error("x is " + to_text(x) + ": a row of length 0 has no mean; normalise over axes that have elements");
  }
  for (const char* name : {"gamma", "beta"}) {
    require_shape(shapes, name, row_shape(x, rows), "one number for each normalised element");
  }
  for (const char* name : {"saved_mean", "saved_rstd"}) shapes[name] = statistic_shape(x, rows);
  shapes["y"] = x;
}

OpDef row_norm_op(std::string name, std::string formula, double eps) {
  OpDef op;
  op.name = std::move(name);
  op.formula = std::move(formula);
  op.inputs = {{.name = "x", .doc = "rows, ...", .draw = draw_rows},
               parameter("gamma", "the normalised axes of x", draw_scale)};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.attrs = {{.name = "axis", .fallback = {-1}, .doc = "first of the normalised axes", .low = -8, .high = 7},
              eps_attr(eps)};
  op.infer = infer_rows;
  return op;
}

Port row_shift_port() { return parameter("beta", "the normalised axes of x", draw_shift); }

Port row_statistic_port(std::string name, std::string doc) {
  return {.name = std::move(name), .role = Role::parameter, .doc = std::move(doc)};
}

Value share_of(Kernel& k, const Value& x, const std::vector<int>& axes) {
  return k.div(k.constant(1), k.constant(count_along(x.shape, axes)));
}

Value rstd_of(Kernel& k, const Value& variance, double eps) {
  return k.div(k.constant(1), k.sqrt(k.add(variance, k.constant(eps))));
}

Value rms_rstd(Kernel& k, const Value& x, const std::vector<int>& axes, double eps) {
  const Value squares = k.mul(x, x);
  const Value by_shares = k.sum(k.mul(squares, share_of(k, x, axes)), axes);
  return rstd_of(k, k.either(mean(k, squares, axes), by_shares), eps);
}

Normalised normalised_by_shares(Kernel& k, const Value& x, const std::vector<int>& axes, double eps) {
  const Value share = share_of(k, x, axes);
  const Value mean = k.sum(k.mul(x, share), axes);
  const Value d = k.sub(x, mean);
  const Value rstd = rstd_of(k, k.sum(k.mul(k.mul(d, d), share), axes), eps);
  return {mean, rstd, k.mul(d, rstd)};
}

Normalised normalised_one_pass(Kernel& k, const Value& x, const std::vector<int>& axes, double eps) {
  const Value mu = mean(k, x, axes);
  const Value rstd = rstd_of(k, k.sub(mean(k, k.mul(x, x), axes), k.mul(mu, mu)), eps);
  return {mu, rstd, k.mul(k.sub(x, mu), rstd)};
}

Value layer_norm_gradients(Kernel& k, Io& io, const Value& x, const Value& dz, const Rows& rows) {
  const Value xhat = k.mul(k.sub(x, io["saved_mean"]), io["saved_rstd"]);
  io.out("dgamma", sum_rows(k, k.mul(dz, xhat), rows));
  io.out("dbeta", sum_rows(k, dz, rows));
  return normalised_gradient(k, k.mul(dz, io["gamma"]), xhat, io["saved_rstd"], rows.axes);
}

Value rms_norm_gradients(Kernel& k, Io& io, const Value& x, const Value& dz) {
  const Rows rows = rows_of(x.shape, static_cast<int>(io.attrs().integer("axis")));
  const Value xhat = k.mul(x, io["saved_rstd"]);
  const Value g = k.mul(dz, io["gamma"]);
  io.out("dgamma", sum_rows(k, k.mul(dz, xhat), rows));
  return k.mul(io["saved_rstd"], k.sub(g, k.mul(xhat, mean(k, k.mul(g, xhat), rows.axes))));
}

Value grouped(Kernel& k, const Value& x, std::int64_t groups) {
  return k.reshape(
      x, {x.shape[0], groups, groups == 0 || x.shape[0] == 0 ? 0 : element_count(x.shape) / (x.shape[0] * groups)});
}

namespace {

// (x - mean)·rstd by groups, in the shape of x.
Value group_xhat(Kernel& k, Io& io, std::int64_t groups) {
  const Value x = grouped(k, io["x"], groups);
  const Shape statistic = {x.shape[0], groups, 1};
  const Value d = k.sub(x, k.reshape(io["saved_mean"], statistic));
  return k.reshape(k.mul(d, k.reshape(io["saved_rstd"], statistic)), io["x"].shape);
}

Value group_affine(Kernel& k, Io& io, const Value& xhat) {
  return k.add(k.mul(xhat, per_channel(k, io["gamma"], xhat)), per_channel(k, io["beta"], xhat));
}

}  // namespace

Value group_norm(Kernel& k, Io& io, std::int64_t groups, Normalising normalise) {
  const Value& x = io["x"];
  const Normalised s = normalise(k, grouped(k, x, groups), {2}, io.attrs().number("eps"));
  io.save("saved_mean", k.reshape(s.mean, {x.shape[0], groups}));
  io.save("saved_rstd", k.reshape(s.rstd, {x.shape[0], groups}));
  return group_affine(k, io, k.reshape(s.xhat, x.shape));
}

Value group_norm_again(Kernel& k, Io& io, std::int64_t groups) {
  return group_affine(k, io, group_xhat(k, io, groups));
}

void group_norm_gradients(Kernel& k, Io& io, const Value& dz, std::int64_t groups) {
  const Value& x = io["x"];
  const Value xhat = group_xhat(k, io, groups);
  io.out("dgamma", channel_sum(k, k.mul(dz, xhat)));
  io.out("dbeta", channel_sum(k, dz));
  const Value g = grouped(k, k.mul(dz, per_channel(k, io["gamma"], x)), groups);
  const Value rstd = k.reshape(io["saved_rstd"], {x.shape[0], groups, 1});
  io.out("dx", k.reshape(normalised_gradient(k, g, grouped(k, xhat, groups), rstd, {2}), x.shape));
}

OpDef group_norm_op(std::string name, std::string formula,
                    std::function<std::int64_t(const Attrs&, const Shape& x)> groups) {
  OpDef op;
  op.name = std::move(name);
  op.formula = std::move(formula);
  op.inputs = {{.name = "x", .doc = "n, c, ...", .draw = draw_groups},
               parameter("gamma", "c", draw_scale),
               parameter("beta", "c", draw_shift)};
  op.outputs = {{.name = "y", .doc = "the shape of x"}};
  op.saved = {row_statistic_port("saved_mean", "n, groups"), row_statistic_port("saved_rstd", "n, groups")};
  op.attrs = {eps_attr(1e-5)};
  op.infer = [groups](Shapes& shapes, const Attrs& attrs) {
    const Shape& x = shapes.at("x");
    if (x.size() < 2) usage_error("x needs at least 2 dimensions n, c, got " + to_text(x));
    const std::int64_t count = groups(attrs, x);
    if (count == 0 || x[1] % count != 0 || element_count(x) == 0) {
      usage_error("x is " + to_text(x) + ": num_groups " + std::to_string(count) +
                  " must divide its channels, and a group must have elements");
    }
    for (const char* parameter : {"gamma", "beta"})
      require_shape(shapes, parameter, {x[1]}, "one number for each channel");
    for (const char* statistic : {"saved_mean", "saved_rstd"}) shapes[statistic] = {x[0], count};
    shapes["y"] = x;
  };
  op.forward = [groups](Kernel& k, Io& io) { io.out("y", group_norm(k, io, groups(io.attrs(), io["x"].shape))); };
  op.backward = [groups](Kernel& k, Io& io) {
    group_norm_gradients(k, io, io["dy"], groups(io.attrs(), io["x"].shape));
  };
  return op;
}

}  // namespace fusecheck::family
