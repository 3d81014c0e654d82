// As a grouped 1x1 convolution without any transposition: a is the weights w [batch·m, k, 1, 1], b the data
// x [1, batch·k, 1, n], c the result [1, batch·m, 1, n]; the gradients are those of w and of x.
#include "family/matmul.hpp"

#include "family/move.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::family {
namespace {

Shape batch_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

Shape with_batch(Shape batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

struct Product {
  Shape batch;
  std::int64_t batches, m, k, n;
  Conv2dAttrs attrs() const { return {.groups = batches}; }
  Shape w() const { return {batches * m, k, 1, 1}; }
  Shape x() const { return {1, batches * k, 1, n}; }
  Shape c() const { return {1, batches * m, 1, n}; }
  Shape a_shape() const { return with_batch(batch, m, k); }
  Shape b_shape() const { return with_batch(batch, k, n); }
};

Product product_of(const Shape& a, const Shape& b) {
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) {
    usage_error("matmul: " + to_text(a) + " times " + to_text(b) +
                " does not fit; the last number of a is the last but one of b, and both have at least two");
  }
  Product p;
  p.batch = broadcast_shape(batch_of(a), batch_of(b));
  p.batches = element_count(p.batch);
  p.m = a[a.size() - 2];
  p.k = a.back();
  p.n = b.back();
  return p;
}

// Of a product without elements or without terms: zeros, as many as there are. The engine takes no batch of 0.
bool is_empty(const Shape& a, const Shape& b) { return element_count(a) == 0 || element_count(b) == 0; }
Value zeros(Kernel& k, const Shape& shape) { return repeated(k, k.constant(0), shape); }

// A matrix b that serves every batch of a multiplies all of its rows at once.
bool flattens(const Shape& a, const Shape& b) { return b.size() == 2 && a.size() > 2; }
Shape flat(const Shape& a) { return {element_count(batch_of(a)) * a[a.size() - 2], a.back()}; }

}  // namespace

Shape matmul_shape(const Shape& a, const Shape& b) {
  const Product p = product_of(a, b);
  return with_batch(p.batch, p.m, p.n);
}

Value matmul(Kernel& k, const Value& a, const Value& b) {
  if (is_empty(a.shape, b.shape)) return zeros(k, matmul_shape(a.shape, b.shape));
  if (flattens(a.shape, b.shape)) {
    return k.reshape(matmul(k, k.reshape(a, flat(a.shape)), b), matmul_shape(a.shape, b.shape));
  }
  const Product p = product_of(a.shape, b.shape);
  const Value w = k.reshape(repeated(k, a, p.a_shape()), p.w());
  const Value x = k.reshape(repeated(k, b, p.b_shape()), p.x());
  return k.reshape(k.conv2d(x, w, {}, p.attrs()), with_batch(p.batch, p.m, p.n));
}

Value matmul_left_gradient(Kernel& k, const Value& dc, const Value& b, const Shape& a) {
  if (is_empty(dc.shape, b.shape)) return zeros(k, a);
  if (flattens(a, b.shape)) return k.reshape(matmul_left_gradient(k, k.reshape(dc, flat(dc.shape)), b, flat(a)), a);
  const Product p = product_of(a, b.shape);
  const Value x = k.reshape(repeated(k, b, p.b_shape()), p.x());
  const Value dw = k.conv2d_weight_gradient(x, k.reshape(dc, p.c()), p.w(), p.attrs());
  return sum_to(k, k.reshape(dw, p.a_shape()), a);
}

Value matmul_right_gradient(Kernel& k, const Value& a, const Value& dc, const Shape& b) {
  if (is_empty(a.shape, dc.shape)) return zeros(k, b);
  if (flattens(a.shape, b)) {
    return matmul_right_gradient(k, k.reshape(a, flat(a.shape)), k.reshape(dc, flat(dc.shape)), b);
  }
  const Product p = product_of(a.shape, b);
  const Value w = k.reshape(repeated(k, a, p.a_shape()), p.w());
  const Value dx = k.conv2d_data_gradient(k.reshape(dc, p.c()), w, p.x(), p.attrs());
  return sum_to(k, k.reshape(dx, p.b_shape()), b);
}

}  // namespace fusecheck::family
