// Positions worked out by hand from the formulas of CANN's data layout formats.
#include "tensor/memory_layout.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace fusecheck::testing {
namespace {

using tensor::from_buffer;
using tensor::parse_layout;
using tensor::to_buffer;
using ::testing::HasSubstr;

// Element i holds i + 1, so that no element is 0 as padding is.
Tensor counting(DType dtype, const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  return Tensor::from(dtype, shape, std::span<const double>(values));
}

// 1x2x2x3: channel 0 holds 1..6, channel 1 holds 7..12; in nhwc the two channels of a pixel are neighbours.
TEST(MemoryLayout, NhwcPutsChannelsLast) {
  const Tensor buffer = to_buffer(counting(DType::f32, {1, 2, 2, 3}), parse_layout("nhwc"));
  EXPECT_EQ(buffer.shape(), (Shape{1, 2, 3, 2}));
  EXPECT_EQ(buffer.doubles(), (std::vector<double>{1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12}));
}

// f32: c0 = 32 bytes / 4 = 8. 9 channels of one pixel: c1 = 2, and 7 lanes of the second block are 0.
TEST(MemoryLayout, Nc1hwc0BlocksChannelsByTypeAndPads) {
  const Tensor x = counting(DType::f32, {1, 9, 1, 1});
  const Tensor buffer = to_buffer(x, parse_layout("nc1hwc0"));
  EXPECT_EQ(buffer.shape(), (Shape{1, 2, 1, 1, 8}));
  EXPECT_EQ(buffer.doubles(), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tensor::buffer_shape(parse_layout("nc1hwc0"), {1, 9, 1, 1}, DType::f16), (Shape{1, 1, 1, 1, 16}));
  EXPECT_EQ(tensor::buffer_shape(parse_layout("nc1hwc0"), {1, 33, 1, 1}, DType::u8), (Shape{1, 2, 1, 1, 32}));
  EXPECT_EQ(tensor::buffer_shape(parse_layout("nc1hwc0:16"), {1, 9, 1, 1}, DType::f32), (Shape{1, 1, 1, 1, 16}));
}

// n=1, c=2, h=1, w=2 with c0=16 (f16): block of pixel (0,0) holds channels 0, 1 = 1, 3; of pixel (0,1) 2, 4.
TEST(MemoryLayout, Nc1hwc0KeepsPixelsBetweenBlocks) {
  const Tensor buffer = to_buffer(counting(DType::f16, {1, 2, 1, 2}), parse_layout("nc1hwc0"));
  ASSERT_EQ(buffer.size(), 32);
  EXPECT_EQ(buffer.at(0), 1);
  EXPECT_EQ(buffer.at(1), 3);
  EXPECT_EQ(buffer.at(2), 0);
  EXPECT_EQ(buffer.at(16), 2);
  EXPECT_EQ(buffer.at(17), 4);
}

// 17 x 9 in f32 (n0 = 8): n1 = 2 column blocks, m1 = 2 row blocks. Element (row 16, column 8) lies at
// ((8/8 * 2 + 16/16) * 16 + 16%16) * 8 + 8%8 = (3 * 16) * 8 = 384; (row 1, column 0) at 8; (row 0, column 8) at
// (1 * 2 * 16) * 8 = 256.
TEST(MemoryLayout, NzStacksFractals) {
  const Tensor buffer = to_buffer(counting(DType::f32, {17, 9}), parse_layout("nz"));
  EXPECT_EQ(buffer.shape(), (Shape{2, 2, 16, 8}));
  EXPECT_EQ(buffer.at(0), 1);
  EXPECT_EQ(buffer.at(8), 10);
  EXPECT_EQ(buffer.at(256), 9);
  EXPECT_EQ(buffer.at(384), 153);
  EXPECT_EQ(buffer.at(385), 0);
}

TEST(MemoryLayout, ComesBackFromEveryLayout) {
  for (const char* name : {"nd", "nchw", "nhwc", "nc1hwc0", "nc1hwc0:3", "nz", "nz:5"}) {
    for (const DType dtype : {DType::f16, DType::f32}) {
      const Tensor x = counting(dtype, {2, 5, 3, 7});
      const auto read = from_buffer(to_buffer(x, parse_layout(name)), parse_layout(name), x.shape(), "x");
      EXPECT_EQ(read.logical.doubles(), x.doubles()) << name;
      EXPECT_TRUE(read.dirty.empty()) << name;
    }
  }
}

TEST(MemoryLayout, FindsEveryLaneOfPaddingThatIsNotZero) {
  Tensor buffer = to_buffer(counting(DType::f32, {1, 3, 1, 1}), parse_layout("nc1hwc0"));
  std::vector<double> values = buffer.doubles();
  values[3] = -0.0;  // -0 is 0
  values[5] = 0.5;
  values[7] = std::numeric_limits<double>::quiet_NaN();
  buffer = Tensor::from(DType::f32, buffer.shape(), std::span<const double>(values));
  const auto read = from_buffer(buffer, parse_layout("nc1hwc0"), {1, 3, 1, 1}, "x");
  EXPECT_EQ(read.padding, 5);
  EXPECT_EQ(read.dirty, (std::vector<std::int64_t>{5, 7}));
}

TEST(MemoryLayout, RefusesWhatIsNone) {
  expect_error(ErrorKind::usage, HasSubstr("unknown layout 'nchv'; there are nd, nchw, nhwc, nc1hwc0, nz"),
               [] { parse_layout("nchv"); });
  expect_error(ErrorKind::usage, HasSubstr("only nc1hwc0 and nz have a block"), [] { parse_layout("nhwc:16"); });
  expect_error(ErrorKind::usage, HasSubstr("only nc1hwc0 and nz have a block"), [] { parse_layout("nz:0"); });
  expect_error(ErrorKind::usage, HasSubstr("rank 4, not for 2x3"), [] {
    tensor::buffer_shape(parse_layout("nhwc"), {2, 3}, DType::f16);
  });
  expect_error(ErrorKind::usage, HasSubstr("rank 2 or more, not for 3"),
               [] { tensor::buffer_shape(parse_layout("nz"), {3}, DType::f16); });
  expect_error(ErrorKind::usage, HasSubstr("y has 6 elements (6), nhwc of 1x2x2x3 has 12 (1x2x3x2)"), [] {
    from_buffer(Tensor(DType::f32, {6}), parse_layout("nhwc"), {1, 2, 2, 3}, "y");
  });
}

}  // namespace
}  // namespace fusecheck::testing
