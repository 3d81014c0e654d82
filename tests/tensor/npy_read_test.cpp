// What the reader accepts, and that it understands it as numpy does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusecheck/tensor.hpp"
#include "support/expect_error.hpp"
#include "support/temp_dir.hpp"
#include "tensor/npy_files.hpp"

namespace fusecheck {
namespace {

using testing::dictionary;
using testing::little_endian;
using testing::npy_header;
using testing::TempDir;

// The f16 patterns of 1 to 6: 1 = 0x3c00, 2 = 0x4000, 3 = 0x4200, 4 = 0x4400, 5 = 0x4500, 6 = 0x4600.
const std::string one_to_six_f16("\x00\x3c\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46", 12);
const std::vector<double> one_to_six = {1, 2, 3, 4, 5, 6};

TEST(NpyRead, ReadsEveryVersion) {
  const TempDir folder;
  for (const int version : {1, 2, 3}) {
    const auto file = folder.write("a.npy", npy_header(dictionary("<f2", "(2, 3)"), 128, version) + one_to_six_f16);
    const Tensor tensor = read_tensor(file);
    EXPECT_EQ(tensor.dtype(), DType::f16) << version;
    EXPECT_EQ(tensor.shape(), (Shape{2, 3})) << version;
    EXPECT_EQ(tensor.doubles(), one_to_six) << version;
  }
}

// Early numpy padded to 16 bytes: the payload need not lie at 128.
TEST(NpyRead, ReadsHeadersOfAnyLength) {
  const TempDir folder;
  for (const std::size_t payload_at : {80u, 96u, 192u, 4096u}) {
    const auto file = folder.write("a.npy", npy_header(dictionary("<f2", "(6,)"), payload_at) + one_to_six_f16);
    EXPECT_EQ(read_tensor(file).doubles(), one_to_six) << payload_at;
  }
}

TEST(NpyRead, ReadsAScalar) {
  const TempDir folder;
  const Tensor tensor = read_tensor(folder.write("a.npy", npy_header(dictionary("<i4", "()")) + little_endian(7, 4)));
  EXPECT_EQ(tensor.shape(), Shape{});
  EXPECT_EQ(tensor.doubles(), std::vector<double>{7});
}

TEST(NpyRead, ReadsKeysInAnyOrderAndEitherQuote) {
  const TempDir folder;
  const std::string header = npy_header("{\"shape\":(2,3),'fortran_order':False , \"descr\" : '<f2'}");
  EXPECT_EQ(read_tensor(folder.write("a.npy", header + one_to_six_f16)).shape(), (Shape{2, 3}));
}

// -2 in every type: f16 0xc000, f32 0xc0000000, f64 0xc000000000000000, two's complement for integers.
TEST(NpyRead, ReadsEveryType) {
  const TempDir folder;
  const auto value = [&](std::string_view descr, std::uint64_t bits, int bytes) {
    const Tensor tensor =
        read_tensor(folder.write("a.npy", npy_header(dictionary(descr, "(1,)")) + little_endian(bits, bytes)));
    return std::pair(tensor.dtype(), tensor.at(0));
  };
  EXPECT_EQ(value("<f2", 0xc000, 2), std::pair(DType::f16, -2.0));
  EXPECT_EQ(value("<f4", 0xc0000000, 4), std::pair(DType::f32, -2.0));
  EXPECT_EQ(value("<f8", 0xc000000000000000, 8), std::pair(DType::f64, -2.0));
  EXPECT_EQ(value("<i4", 0xfffffffe, 4), std::pair(DType::i32, -2.0));
  EXPECT_EQ(value("<i8", 0xfffffffffffffffe, 8), std::pair(DType::i64, -2.0));
  EXPECT_EQ(value("|u1", 254, 1), std::pair(DType::u8, 254.0));
  EXPECT_EQ(value("|b1", 1, 1), std::pair(DType::boolean, 1.0));
}

TEST(NpyRead, ReadsBigEndian) {
  const TempDir folder;
  // 1 = 0x3c00, -2 = 0xc000, most significant byte first.
  const auto f16 = folder.write("a.npy", npy_header(dictionary(">f2", "(2,)")) + std::string("\x3c\x00\xc0\x00", 4));
  EXPECT_EQ(read_tensor(f16).doubles(), (std::vector<double>{1, -2}));
  EXPECT_EQ(read_tensor(f16).bytes()[1], std::byte{0x3c});  // little-endian in memory
  // 1.5 = 0x3ff8000000000000
  const auto f64 =
      folder.write("b.npy", npy_header(dictionary(">f8", "(1,)")) + std::string("\x3f\xf8\x00\x00\x00\x00\x00\x00", 8));
  EXPECT_EQ(read_tensor(f64).at(0), 1.5);
}

// In Fortran order the first index is fastest: the file's 1 2 3 4 5 6 of shape (2, 3) is the matrix 1 3 5 / 2 4 6.
TEST(NpyRead, TransposesFortranOrder) {
  const TempDir folder;
  const auto matrix = folder.write("a.npy", npy_header(dictionary("<f2", "(2, 3)", "True")) + one_to_six_f16);
  EXPECT_EQ(read_tensor(matrix).shape(), (Shape{2, 3}));
  EXPECT_EQ(read_tensor(matrix).doubles(), (std::vector<double>{1, 3, 5, 2, 4, 6}));
  // Shape (1, 3, 2): element (0, j, k) is the file's number j + 3k, that is 1 4 / 2 5 / 3 6.
  const auto cube = folder.write("b.npy", npy_header(dictionary("<f2", "(1, 3, 2)", "True")) + one_to_six_f16);
  EXPECT_EQ(read_tensor(cube).doubles(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(NpyRead, ReadsBf16WhereItIsDeclared) {
  const TempDir folder;
  // 1 = 0x3f80, -2 = 0xc000
  const std::string payload("\x80\x3f\x00\xc0", 4);
  for (const char* descr : {"<u2", "|V2", "<V2"}) {
    const auto file = folder.write("a.npy", npy_header(dictionary(descr, "(2,)")) + payload);
    const Tensor tensor = read_tensor(file, {DType::bf16, std::nullopt});
    EXPECT_EQ(tensor.dtype(), DType::bf16) << descr;
    EXPECT_EQ(tensor.doubles(), (std::vector<double>{1, -2})) << descr;
  }
}

TEST(NpyRead, ReadsADeclaredBin) {
  const TempDir folder;
  const auto file = folder.write("y.bin", one_to_six_f16);
  EXPECT_EQ(read_tensor(file, {DType::f16, Shape{2, 3}}).doubles(), one_to_six);
  EXPECT_EQ(read_header(file, {DType::f16, Shape{2, 3}}).shape, (Shape{2, 3}));
}

TEST(NpyRead, ReadsTheHeaderAlone) {
  const TempDir folder;
  const auto file = folder.write("a.npy", npy_header(dictionary("<f2", "(2, 3)", "True")) + one_to_six_f16);
  const FileHeader header = read_header(file);
  EXPECT_EQ(header.dtype, DType::f16);
  EXPECT_EQ(header.shape, (Shape{2, 3}));
}

TEST(NpyRead, AgreesWithWhatIsDeclared) {
  const TempDir folder;
  const auto file = folder.write("a.npy", npy_header(dictionary("<f2", "(2, 3)")) + one_to_six_f16);
  EXPECT_EQ(read_tensor(file, {DType::f16, Shape{2, 3}}).doubles(), one_to_six);
  testing::expect_error(
      ErrorKind::usage,
      ::testing::EndsWith("a.npy: holds f16, declared f32; correct the declaration or convert the file"), [&] {
        read_tensor(file, {DType::f32, std::nullopt});
      });
  testing::expect_error(
      ErrorKind::usage,
      ::testing::EndsWith("a.npy: has shape 2x3, declared 3x2; correct the declaration or reshape the file"), [&] {
        read_header(file, {std::nullopt, Shape{3, 2}});
      });
}

}  // namespace
}  // namespace fusecheck
