// Steps that wait for one another give, block by block, what each gives by itself: every chain here runs over four rows
// of 1000 elements at once, which is deferred, and over each row alone, which is not (least_deferred).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "fusecheck/philox.hpp"
#include "run/real_kernel.hpp"

namespace fusecheck::run {
namespace {

using List = std::vector<double>;
constexpr std::int64_t rows = 4, length = 1000;
static_assert(rows * length >= least_deferred && length < least_deferred);

Context f16_context() {
  CaseSpec spec;
  spec.op = "ConvRelu";
  spec.shapes["x"] = {1, 1, 1, 1};
  return make_context(spec);
}

// Values of f32 with intervals of two units of f32 on both sides, or points.
struct Data {
  List v, low, high;
  explicit Data(const char* name, bool wide) {
    const Philox rng(1, name);
    for (std::uint64_t i = 0; i < rows * length; ++i) {
      v.push_back(static_cast<double>(static_cast<float>(rng.normal(i))));
      const double half = wide ? std::abs(v.back()) * 0x1p-23 : 0;
      low.push_back(v.back() - half);
      high.push_back(v.back() + half);
    }
  }
  Value part(std::int64_t first, std::int64_t count) const {
    const auto cut = [&](const List& x) {
      return share({x.begin() + first * length, x.begin() + (first + count) * length});
    };
    Real real;
    real.v = cut(v);
    if (low != v) real.low = cut(low);
    if (low != v) real.high = cut(high);
    return {{count, length}, std::make_shared<const Real>(std::move(real))};
  }
};

using Chain = std::function<Value(RealKernel& k, const Value& x, const Value& y)>;

void expect_same(const Chain& chain, bool x_wide, bool y_wide) {
  const Data x("x", x_wide), y("y", y_wide);
  const Context context = f16_context();
  const Schedule schedule = {};
  Memo memo{engine::Execution{}};
  RealKernel kernel(context, schedule, {}, memo);
  const Value whole = chain(kernel, x.part(0, rows), y.part(0, rows));
  ASSERT_NE(static_cast<const Real*>(whole.data.get())->waiting, nullptr);
  const Real& all = RealKernel::real(whole);
  for (std::int64_t row = 0; row < rows; ++row) {
    const Value part = chain(kernel, x.part(row, 1), y.part(row, 1));
    const Real& one = RealKernel::real(part);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = static_cast<std::size_t>(row) * length + i;
      ASSERT_EQ((*all.v)[at], (*one.v)[i]) << row << " " << i;
      ASSERT_EQ(all.lows()[at], one.lows()[i]) << row << " " << i;
      ASSERT_EQ(all.highs()[at], one.highs()[i]) << row << " " << i;
    }
    if (all.before == nullptr) continue;
    ASSERT_NE(one.before, nullptr);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = static_cast<std::size_t>(row) * length + i;
      ASSERT_EQ((*all.before->v)[at], (*one.before->v)[i]);
      ASSERT_EQ(all.before->lows()[at], one.before->lows()[i]);
    }
  }
}

void expect_same(const Chain& chain) {
  for (const bool x_wide : {false, true}) {
    for (const bool y_wide : {false, true}) expect_same(chain, x_wide, y_wide);
  }
}

TEST(Chain, OfArithmetic) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) { return k.add(k.mul(x, y), k.div(k.sub(x, y), y)); });
}

TEST(Chain, OfReluStoredWithWhatWasRounded) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) { return k.store("y", k.relu(k.mul(x, y))); });
}

TEST(Chain, OfSignsAndNegation) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) {
    return k.mul(k.positive(k.add(x, y)), k.negate(k.mul(x, y)));
  });
}

TEST(Chain, OfAChoiceBetweenTwoFormulas) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) {
    return k.either(k.mul(k.add(x, y), y), k.add(k.mul(x, y), k.mul(y, y)));
  });
}

TEST(Chain, OfRoundingsInside) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) {
    return k.store("y", k.add(k.cast(DType::f16, k.mul(x, y)), k.cast(DType::bf16, y)));
  });
}

// One number for each row, as the scale of a channel: runs of 1000 elements, blocks of 512.
TEST(Chain, WithANumberForEachRow) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) {
    List scale;
    for (std::int64_t row = 0; row < x.shape[0]; ++row) scale.push_back(0.75);
    const Value s = k.load({x.shape[0], 1}, scale);
    return k.relu(k.add(k.mul(x, s), k.mul(s, y)));
  });
}

// Longer than a plan goes at once.
TEST(Chain, OfTwentySteps) {
  expect_same([](RealKernel& k, const Value& x, const Value& y) {
    Value z = x;
    for (int i = 0; i < 20; ++i) z = k.mul(z, y);
    return z;
  });
}

// Blocks shown one after the other are the array.
TEST(Chain, ShownIsWhatIsStored) {
  const Data x("x", true), y("y", false);
  const Context context = f16_context();
  const Schedule schedule = {};
  Memo memo{engine::Execution{}};
  RealKernel kernel(context, schedule, {}, memo);
  const Value product = kernel.mul(x.part(0, rows), y.part(0, rows));
  List v, low, high;
  RealKernel::look(
      product, [&](std::size_t first, std::span<const double> a, std::span<const double> b, std::span<const double> c) {
        ASSERT_EQ(first, v.size());
        v.insert(v.end(), a.begin(), a.end());
        low.insert(low.end(), b.begin(), b.end());
        high.insert(high.end(), c.begin(), c.end());
      });
  EXPECT_EQ(v, *RealKernel::values(product));
  const Real& stored = RealKernel::real(product);
  EXPECT_EQ(v, *stored.v);
  EXPECT_EQ(low, stored.lows());
  EXPECT_EQ(high, stored.highs());
}

}  // namespace
}  // namespace fusecheck::run
