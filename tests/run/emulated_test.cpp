// Steps of an emulation that wait for one another, against the same arithmetic written out in f32 here. 3 rows of 1100
// elements are deferred and no multiple of a block's length; each row alone is carried out at once.
#include "run/emulated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "fusecheck/philox.hpp"

namespace fusecheck::run {
namespace {

using List = std::vector<float>;
constexpr std::int64_t rows = 3, length = 1100;

List drawn(const char* name, std::int64_t count) {
  const Philox rng(1, name);
  List x;
  for (std::int64_t i = 0; i < count; ++i) x.push_back(static_cast<float>(rng.normal(static_cast<std::uint64_t>(i))));
  return x;
}

// a + b, a - b ... for the shapes {count, length} and `b_shape`.
EmulatedEdge arithmetic(engine::Operation operation, std::int64_t count, EmulatedEdge a, const Shape& b_shape,
                        EmulatedEdge b) {
  const Shape shape = {count, length};
  return edge_of({.kind = EmulatedStepKind::arithmetic,
                  .operation = operation,
                  .blocks = blocks_of(shape, b_shape, shape),
                  .a = std::move(a),
                  .b = std::move(b),
                  .size = count * length});
}

EmulatedEdge unary(Unary op, std::int64_t count, EmulatedEdge a) {
  return edge_of({.kind = EmulatedStepKind::unary, .unary = op, .a = std::move(a), .size = count * length});
}

EmulatedEdge rounded(DType dtype, std::int64_t count, EmulatedEdge a, RoundingRule rule = {}) {
  return edge_of(
      {.kind = EmulatedStepKind::round, .dtype = dtype, .rule = rule, .a = std::move(a), .size = count * length});
}

List part(const List& x, std::int64_t first, std::int64_t count) {
  return {x.begin() + first * length, x.begin() + (first + count) * length};
}

// relu(f16(x·s) + b) with a factor a row and a summand a column, in the rows [first, first + count).
EmulatedEdge chain(std::int64_t first, std::int64_t count) {
  const EmulatedEdge x = edge_of(part(drawn("x", rows * length), first, count));
  const List factors = drawn("s", rows);
  const EmulatedEdge s = edge_of(List(factors.begin() + first, factors.begin() + first + count));
  const EmulatedEdge b = edge_of(drawn("b", length));
  const EmulatedEdge product =
      rounded(DType::f16, count, arithmetic(engine::Operation::multiply, count, x, {count, 1}, s));
  return unary(Unary::relu, count, arithmetic(engine::Operation::add, count, product, {length}, b));
}

TEST(Emulated, AChainIsOneStepAfterTheOther) {
  const List x = drawn("x", rows * length), s = drawn("s", rows), b = drawn("b", length);
  const EmulatedEdge deferred = chain(0, rows);
  EXPECT_EQ(deferred->values, nullptr);  // waits
  const List& all = *values_of(*deferred);
  for (std::int64_t row = 0; row < rows; ++row) {
    const EmulatedEdge alone = chain(row, 1);
    ASSERT_NE(alone->values, nullptr);  // does not
    EXPECT_EQ(*alone->values, part(all, row, 1));
    for (std::int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<std::size_t>(row * length + i);
      const float product =
          static_cast<float>(round_to(DType::f16, static_cast<double>(x[at] * s[static_cast<std::size_t>(row)])));
      ASSERT_EQ(all[at], std::fmax(0.0F, product + b[static_cast<std::size_t>(i)])) << at;
    }
  }
}

// In f16: 1 + 2^-11 is a tie to 1, 1 + 3·2^-11 one to 1 + 2^-9.
TEST(Emulated, TensorsAreReadAndWrittenInTheirOwnType) {
  const Tensor x = Tensor::from(DType::f16, {rows, length}, List(rows * length, -1));
  const EmulatedEdge sum = arithmetic(engine::Operation::add, rows, edge_of(x), {}, edge_of(List{2 + 3 * 0x1p-11F}));
  for (const EmulatedEdge& edge : {sum, rounded(DType::f16, rows, sum)}) {
    const Tensor y = tensor_of(*edge, DType::f16, {rows, length});
    EXPECT_EQ(y.dtype(), DType::f16);
    EXPECT_EQ(y.shape(), (Shape{rows, length}));
    EXPECT_EQ(y.floats(), List(rows * length, 1 + 0x1p-9F));
  }
  EXPECT_EQ(tensor_of(*sum, DType::f32, {rows, length}).floats(), List(rows * length, 1 + 3 * 0x1p-11F));
  EXPECT_EQ(tensor_of(*sum, DType::boolean, {rows, length}).floats(), List(rows * length, 1));
  EXPECT_EQ(tensor_of(*edge_of(x), DType::bf16, {rows, length}).floats(), List(rows * length, -1));
}

// Toward zero first, then to nearest: 1 + 3·2^-11 becomes 1 + 2^-10 and stays. Left out, it would become 1 + 2^-9.
TEST(Emulated, ARoundingOfAnotherKindIsKept) {
  const EmulatedEdge x = edge_of(List(rows * length, 1 + 3 * 0x1p-11F));
  const EmulatedEdge cut = rounded(DType::f16, rows, x, {.direction = Rounding::toward_zero});
  EXPECT_EQ(tensor_of(*cut, DType::f16, {rows, length}).floats(), List(rows * length, 1 + 0x1p-10F));
  const EmulatedEdge coarse = rounded(DType::bf16, rows, x);  // 1 + 3·2^-11 lies below half of 2^-7
  EXPECT_EQ(tensor_of(*coarse, DType::f16, {rows, length}).floats(), List(rows * length, 1));
}

// More steps in a row than a plan takes: 50 times + 1, exact in f32.
TEST(Emulated, LongChainsAreCut) {
  EmulatedEdge x = edge_of(List(rows * length, 0.5F));
  for (int i = 0; i < 50; ++i) x = arithmetic(engine::Operation::add, rows, x, {}, edge_of(List{1}));
  EXPECT_LE(x->step->depth, 16);
  EXPECT_EQ(*values_of(*x), List(rows * length, 50.5F));
}

TEST(Emulated, SubnormalsAreFlushedWhereTheModelSaysSo) {
  const EmulatedEdge x = edge_of(List(rows * length, -0x1p-127F));
  const EmulatedEdge flushed = edge_of({.kind = EmulatedStepKind::unary,
                                        .unary = Unary::negate,
                                        .flush_subnormals = true,
                                        .a = x,
                                        .size = rows * length});
  EXPECT_EQ(*values_of(*flushed), List(rows * length, 0.0F));
  EXPECT_EQ(*values_of(*unary(Unary::negate, rows, x)), List(rows * length, 0x1p-127F));
}

TEST(Emulated, EachUnaryStep) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto of = [&](Unary op, float x) {
    const float deferred = values_of(*unary(op, rows, edge_of(List(rows * length, x))))->back();
    const float at_once = values_of(*unary(op, 1, edge_of(List(length, x))))->back();
    EXPECT_TRUE(deferred == at_once || (std::isnan(deferred) && std::isnan(at_once)));
    return deferred;
  };
  EXPECT_EQ(of(Unary::negate, 3), -3);
  EXPECT_EQ(of(Unary::square_root, 2.25F), 1.5F);
  EXPECT_EQ(of(Unary::absolute, -7), 7);
  EXPECT_EQ(of(Unary::positive, 0), 0);
  EXPECT_EQ(of(Unary::positive, 0x1p-149F), 1);
  EXPECT_EQ(of(Unary::positive, nan), 0);
  EXPECT_EQ(of(Unary::relu, 5), 5);
  EXPECT_FALSE(std::signbit(of(Unary::relu, -0.0F)));
  EXPECT_TRUE(std::isnan(of(Unary::relu, nan)));
}

}  // namespace
}  // namespace fusecheck::run
