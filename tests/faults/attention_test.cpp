// Kernels of FusedAttention with one mistake each, as plain loops over the elements: every one fails in its y alone,
// the right one passes. FUSECHECK_RUNS, whatever its value: twenty seeds in place of one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "case.hpp"
#include "fusecheck/functions.hpp"

namespace fusecheck::testing {
namespace {

// What the loops do otherwise than online softmax over tiles of 64 keys should.
struct Loops {
  bool rescales_values = true, rescales_sum = true;  // by e^(m - m') when the maximum rises
  bool subtracts_maximum = true;
  bool scales = true;
  std::int64_t dropped_keys = 0;  // at the end
  std::int64_t causal_shift = 0;  // sees so many keys more
  bool heads_in_blocks = true;    // head i reads key head i/(h/g), not i mod g
  bool bottom_right = true;       // alignment of the causal mask
};

float exponential(float x) {
  return static_cast<float>(round_to(DType::f32, evaluate(Function::exp, static_cast<double>(x))));
}

Tensor attention(const Case& of, const Loops& loops) {
  const Tensor &q = of.inputs.at("q"), &k = of.inputs.at("k"), &v = of.inputs.at("v");
  const std::int64_t heads = q.shape()[1], queries = q.shape()[2], depth = q.shape()[3];
  const std::int64_t key_heads = k.shape()[1], keys = k.shape()[2], size = v.shape()[3];
  const std::vector<float> qs = q.floats(), ks = k.floats(), vs = v.floats();
  const std::int64_t causal = of.context.attrs.integer("causal"), tile = of.context.attrs.integer("tile");
  const double given = of.context.attrs.number("scale");
  const double right_scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(depth));
  const float scale = loops.scales ? static_cast<float>(right_scale) : 1;
  std::vector<float> y;
  for (std::int64_t row = 0; row < q.shape()[0] * heads * queries; ++row) {
    const std::int64_t head = row / queries % heads, query = row % queries, batch = row / queries / heads;
    const std::int64_t key_head = loops.heads_in_blocks ? head / (heads / key_heads) : head % key_heads;
    const std::int64_t first_key = (batch * key_heads + key_head) * keys;
    const std::int64_t ahead = loops.causal_shift + (loops.bottom_right ? keys - queries : 0);
    float m = -std::numeric_limits<float>::max(), l = 0;
    std::vector<float> o(static_cast<std::size_t>(size), 0);
    for (std::int64_t begin = 0; begin < keys - loops.dropped_keys; begin += tile) {
      std::vector<float> t;
      float next = m;
      for (std::int64_t j = begin; j < std::min(keys - loops.dropped_keys, begin + tile); ++j) {
        float s = 0;
        for (std::int64_t c = 0; c < depth; ++c) {
          s +=
              qs[static_cast<std::size_t>(row * depth + c)] * ks[static_cast<std::size_t>((first_key + j) * depth + c)];
        }
        const bool seen = causal == 0 || j <= query + ahead;
        t.push_back(seen ? scale * s : -std::numeric_limits<float>::infinity());
        next = std::max(next, t.back());
      }
      if (!loops.subtracts_maximum) next = m = 0;
      const float r = exponential(m - next);
      if (loops.rescales_sum) l *= r;
      for (float& value : o) value *= loops.rescales_values ? r : 1;
      for (std::size_t j = 0; j < t.size(); ++j) {
        const float w = exponential(t[j] - next);
        l += w;
        const auto operand = static_cast<float>(round_to(of.context.dtype, static_cast<double>(w)));
        for (std::int64_t c = 0; c < size; ++c) {
          const std::int64_t at = (first_key + begin + static_cast<std::int64_t>(j)) * size + c;
          o[static_cast<std::size_t>(c)] += operand * vs[static_cast<std::size_t>(at)];
        }
      }
      m = next;
    }
    for (const float value : o) y.push_back(l > 0 ? value / l : 0);
  }
  return Tensor::from(of.context.dtype_of("y"), of.context.shapes.at("y"), std::span<const float>(y));
}

struct Mistake {
  std::string name, attributes, set;
  Loops loops;
};

// 131 keys are two tiles and a tail; four heads share two key heads. In `stress` the largest score rises from tile to
// tile up to about 8, so that e^score leaves f16 but not f32.
std::vector<Mistake> mistakes() {
  const std::string grouped = "keys=131,kv_heads=2,value_size=7", causal = "causal=2," + grouped;
  return {{"values_not_rescaled", grouped, "stress", {.rescales_values = false}},
          {"sum_not_rescaled", grouped, "stress", {.rescales_sum = false}},
          {"nothing_rescaled", grouped, "stress", {.rescales_values = false, .rescales_sum = false}},
          {"scale_dropped", grouped, "random", {.scales = false}},
          {"last_key_dropped", grouped, "random", {.dropped_keys = 1}},
          {"tail_dropped", grouped, "random", {.dropped_keys = 3}},
          {"heads_interleaved", grouped, "random", {.heads_in_blocks = false}},
          {"sees_the_next_key", causal, "random", {.causal_shift = 1}},
          {"misses_its_own_key", causal, "random", {.causal_shift = -1}},
          {"aligned_at_the_top_left", causal, "random", {.bottom_right = false}}};
}

Status status_of(const Case& of, const Loops& loops) {
  return kernel_status(check_kernel(of, {{"y", attention(of, loops)}}));
}

std::uint64_t seeds() { return std::getenv("FUSECHECK_RUNS") == nullptr ? 1 : 20; }

class WrongAttention : public ::testing::TestWithParam<std::string> {};

TEST_P(WrongAttention, IsSeen) {
  for (const Mistake& mistake : mistakes()) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      const std::string line = "FusedAttention/" + GetParam() + "/q=1x4x33x16/" + mistake.attributes + "/" +
                               mistake.set + "/s" + std::to_string(seed);
      CaseSpec spec = parse_case(line);
      spec.passes = Passes::forward;
      const Case of = make_case(spec, spec.data.front());
      EXPECT_EQ(name_of(status_of(of, {})), "pass") << "the right kernel, " << line;
      EXPECT_EQ(name_of(status_of(of, mistake.loops)), "fail") << mistake.name << ", " << line;
    }
  }
}

// Scores up to 200: e^200 is beyond f32, and only the subtraction of the maximum keeps the shares finite.
TEST_P(WrongAttention, WithoutTheMaximumOverflows) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    CaseSpec spec = parse_case("FusedAttention/" + GetParam() +
                               "/q=1x4x33x16/keys=131,kv_heads=2,scale=6,value_size=7/stress/s" + std::to_string(seed));
    spec.passes = Passes::forward;
    const Case of = make_case(spec, DataSet::stress);
    EXPECT_EQ(name_of(status_of(of, {})), "pass") << seed;
    EXPECT_EQ(name_of(status_of(of, {.subtracts_maximum = false})), "fail") << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Type, WrongAttention, ::testing::Values("f16", "bf16", "f32"),
                         [](const auto& type) { return type.param; });

}  // namespace
}  // namespace fusecheck::testing
