// Two fp64 convolutions that share nothing but the geometry: Eigen's and the engine's truth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "backends/geometries.hpp"
#include "support/eigen_conv.hpp"

namespace fusecheck {
namespace {

using engine::Contraction;
using engine::Direction;
using ::testing::ElementsAre;

TEST(EigenOracle, TwoGroupsByHand) {
  // One row of three columns, two groups of one channel, kernel 1x2, padded by one column on the right.
  engine::Conv2dGeometry g = {1, 2, 1, 3, 2, 1, 2};
  g.groups = 2, g.pad_right = 1;
  const std::vector<double> x = {1, 2, 3, 10, 20, 30}, w = {1, 5, 2, -1}, dy = {1, 0, 2, 0, 1, 1};
  // 1+10, 2+15, 3+0; 20-20, 40-30, 60-0; plus the bias of each channel.
  EXPECT_THAT(testing::eigen_contract({Direction::forward, g}, x, w, std::vector<double>{100, 200}),
              ElementsAre(111, 117, 103, 200, 210, 260));
  // dx[i] = w0 dy[i] + w1 dy[i-1]: 1, 5, 2; 0, 2, 2-1.
  EXPECT_THAT(testing::eigen_contract({Direction::data_gradient, g}, dy, w), ElementsAre(1, 5, 2, 0, 2, 1));
  // dw0 = Σ x[i] dy[i], dw1 = Σ x[i+1] dy[i]: 1+6, 2+0; 20+30, 30+0.
  EXPECT_THAT(testing::eigen_contract({Direction::weight_gradient, g}, x, dy), ElementsAre(7, 2, 50, 30));
}

TEST(EigenOracle, AgreesWithTheEngineTruthOnRaggedGeometries) {
  for (const auto& [name, geometry] : testing::ragged_geometries()) {
    for (const Direction direction : testing::all_directions()) {
      SCOPED_TRACE(name + ", direction " + std::to_string(static_cast<int>(direction)));
      const Contraction problem{direction, geometry};
      const auto sizes = testing::sizes_of(problem);
      const auto a = testing::full_width_values(sizes.a, 1, "a"), b = testing::full_width_values(sizes.b, 2, "b");
      const auto bias = testing::full_width_values(sizes.bias, 3, "bias");
      const auto eigen = testing::eigen_contract(problem, a, b, bias);
      const auto truth = engine::contract_f64(problem, a, b, bias, engine::Execution{});
      const auto scale =
          testing::eigen_contract(problem, testing::magnitudes(a), testing::magnitudes(b), testing::magnitudes(bias));
      ASSERT_EQ(truth.size(), eigen.size());
      for (std::size_t i = 0; i < truth.size(); ++i) {
        ASSERT_LE(std::fabs(truth[i] - eigen[i]), (sizes.terms + 4) * 0x1p-53 * scale[i]) << "element " << i;
      }
    }
  }
}

}  // namespace
}  // namespace fusecheck
