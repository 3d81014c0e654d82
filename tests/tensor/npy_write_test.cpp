#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fusecheck/tensor.hpp"
#include "support/expect_error.hpp"
#include "support/temp_dir.hpp"
#include "tensor/npy_files.hpp"

namespace fusecheck {
namespace {

using testing::dictionary;
using testing::expect_error;
using ::testing::HasSubstr;
using testing::little_endian;
using testing::npy_header;
using testing::read_bytes;
using testing::TempDir;

std::string written(const Tensor& tensor) {
  const TempDir folder;
  write_npy(folder / "a.npy", tensor);
  return read_bytes(folder / "a.npy");
}

// The bytes that numpy.save writes for numpy.array([1, -2], '<f2'), spelt out: magic, version 1.0, a header of
// 118 = 0x76 bytes (128 less 10), the dictionary, spaces and a newline up to byte 128, the payload.
TEST(NpyWrite, WritesWhatNumpyWrites) {
  const std::vector<double> values = {1, -2};
  const std::string text = "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }";
  const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text +
                               std::string(118 - 1 - text.size(), ' ') + "\n" + std::string("\x00\x3c\x00\xc0", 4);
  EXPECT_EQ(written(Tensor::from(DType::f16, {2}, values)), expected);
}

TEST(NpyWrite, NamesEveryType) {
  const auto header = [](DType dtype) { return written(Tensor(dtype, {1, 2})).substr(0, 128); };
  EXPECT_EQ(header(DType::f64), npy_header(dictionary("<f8", "(1, 2)")));
  EXPECT_EQ(header(DType::f32), npy_header(dictionary("<f4", "(1, 2)")));
  EXPECT_EQ(header(DType::f16), npy_header(dictionary("<f2", "(1, 2)")));
  EXPECT_EQ(header(DType::bf16), npy_header(dictionary("<u2", "(1, 2)")));
  EXPECT_EQ(header(DType::i64), npy_header(dictionary("<i8", "(1, 2)")));
  EXPECT_EQ(header(DType::i32), npy_header(dictionary("<i4", "(1, 2)")));
  EXPECT_EQ(header(DType::u8), npy_header(dictionary("|u1", "(1, 2)")));
  EXPECT_EQ(header(DType::boolean), npy_header(dictionary("|b1", "(1, 2)")));
}

TEST(NpyWrite, WritesScalarsAndFourDimensions) {
  EXPECT_EQ(written(Tensor(DType::f32, {})), npy_header(dictionary("<f4", "()")) + std::string(4, '\0'));
  EXPECT_EQ(written(Tensor(DType::f16, {1, 64, 56, 56})).substr(0, 128),
            npy_header(dictionary("<f2", "(1, 64, 56, 56)")));
}

// numpy (1.23 on) reserves 21 characters for the first dimension. With a shape of 18 ones the dictionary has
// 51 + (18·3 - 2) + 4 = 107 characters; 10 before it, 20 of reserve and the newline make 138: past 128, so 192.
// Without the reserve they would be 118, and the payload at 128.
TEST(NpyWrite, ReservesRoomForGrowthAsNumpyDoes) {
  const std::string bytes = written(Tensor(DType::u8, Shape(18, 1)));
  EXPECT_EQ(bytes.size(), 192u + 1u);
  EXPECT_EQ(bytes[191], '\n');
}

TEST(NpyWrite, ReadsBackTheSameBytes) {
  const TempDir folder;
  const std::vector<double> values = {0, -0.0, 1, 0x1p-24, 65504, -3};
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64, DType::i32, DType::u8}) {
    const Tensor tensor = Tensor::from(dtype, {3, 2}, values);
    write_npy(folder / "a.npy", tensor);
    const Tensor back = read_tensor(folder / "a.npy", {dtype, std::nullopt});
    EXPECT_EQ(back.shape(), tensor.shape());
    EXPECT_TRUE(std::equal(back.bytes().begin(), back.bytes().end(), tensor.bytes().begin(), tensor.bytes().end()));
  }
}

TEST(NpyWrite, ReplacesAFileAndLeavesNothingElse) {
  const TempDir folder;
  folder.write("a.npy", "old");
  write_npy(folder / "a.npy", Tensor(DType::u8, {1}));
  EXPECT_EQ(read_bytes(folder / "a.npy").size(), 129u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(NpyWrite, RefusesPlacesThatCannotHoldAFile) {
  const TempDir folder;
  const Tensor tensor(DType::u8, {1});
  const auto absent = folder.path() / "absent" / "a.npy";
  expect_error(ErrorKind::no_verdict,
               absent.string() + ": cannot be written; check that its folder exists and may be written to",
               [&] { write_npy(absent, tensor); });
  expect_error(ErrorKind::no_verdict,
               folder.path().string() + ": cannot be written: it exists and is not a regular file",
               [&] { write_npy(folder.path(), tensor); });
  // A rename would put a file in the place of a pipe or device. A pipe of the test's own: were the rule broken, a
  // device such as /dev/null would be lost to the whole machine.
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_error(ErrorKind::no_verdict, pipe.string() + ": cannot be written: it exists and is not a regular file",
               [&] { write_npy(pipe, tensor); });
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace fusecheck
