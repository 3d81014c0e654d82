// Files that must not be judged, each with what the user is told.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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
using testing::npy_header;
using testing::TempDir;

// Writes `bytes` to `name` and expects the reader to refuse it with exactly `message` after the file's name.
void refuses(const std::string& name, const std::string& bytes, const std::string& message,
             const Declared& declared = {}) {
  SCOPED_TRACE(message);
  const TempDir folder;
  const auto file = folder.write(name, bytes);
  expect_error(ErrorKind::usage, file.string() + ": " + message, [&] { read_tensor(file, declared); });
  // A boolean's bytes are the only thing that the header does not tell.
  if (message.find("of a boolean tensor") == std::string::npos) {
    expect_error(ErrorKind::usage, file.string() + ": " + message, [&] { read_header(file, declared); });
  }
}

void refuses_header(const std::string& dictionary, const std::string& message) {
  refuses("a.npy", npy_header(dictionary) + std::string(24, '\0'), message);
}

void refuses_malformed(const std::string& dictionary, const std::string& problem) {
  refuses_header(dictionary, "malformed .npy header: " + problem + "; save the array again with numpy.save");
}

TEST(NpyRefuse, FilesThatAreSomethingElse) {
  refuses("a.npy", "", "is empty");
  refuses("a.bin", "", "is empty", {DType::f32, Shape{1}});
  refuses("a.npy", "1.0 2.0 3.0\n",
          "is not a .npy file: starts with '1.0 2.', not '\\x93NUMPY'; headerless data is named .bin");
  refuses("a.npy", std::string("\x93NUMPX\x01\x00", 8) + std::string(200, ' '),
          "is not a .npy file: starts with '\\x93NUMPX', not '\\x93NUMPY'; headerless data is named .bin");
  refuses("a.npz", "PK\x03\x04 and more", "is a .npz (zip) archive; save each array as a .npy file with numpy.save");
  refuses("a.npy", "PK\x03\x04 and more", "is a .npz (zip) archive; save each array as a .npy file with numpy.save");
  refuses("a.npy", "\x80\x04\x95 and more",
          "is a pickled Python object, which is never loaded; save the array with numpy.save");
}

TEST(NpyRefuse, GitLfsPointers) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\n"
      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
      "size 401536\n";
  ASSERT_EQ(pointer.size(), 131u);
  const std::string message = "is a Git LFS pointer (131 bytes), not data; run 'git lfs pull'";
  refuses("a.npy", pointer, message);
  refuses("a.bin", pointer, message, {DType::f16, Shape{1, 64, 56, 56}});
  // Even where the pointer has just as many bytes as the data would have.
  refuses("b.bin", pointer, message, {DType::u8, Shape{131}});
  refuses("a", pointer, message);
}

TEST(NpyRefuse, TruncatedHeaders) {
  const std::string whole = npy_header(dictionary("<f4", "(6,)")) + std::string(24, '\0');
  refuses("a.npy", whole.substr(0, 3), "truncated in the .npy header: 3 bytes, at least 10 are needed");
  refuses("a.npy", whole.substr(0, 9), "truncated in the .npy header: 9 bytes, at least 10 are needed");
  refuses("a.npy", npy_header(dictionary("<f4", "(6,)"), 128, 2).substr(0, 11),
          "truncated in the .npy header: 11 bytes, at least 12 are needed");
  refuses("a.npy", whole.substr(0, 100),
          "truncated in the .npy header, or its length is wrong: it promises 118 bytes, the file has 90 left");
}

TEST(NpyRefuse, WrongHeaderLengths) {
  std::string lies = npy_header(dictionary("<f4", "(6,)")) + std::string(24, '\0');
  lies[8] = '\xff';
  lies[9] = '\xff';
  refuses("a.npy", lies,
          "truncated in the .npy header, or its length is wrong: it promises 65535 bytes, the file has 142 left");
  std::string four_gigabytes = npy_header(dictionary("<f4", "(6,)"), 128, 2) + std::string(24, '\0');
  for (std::size_t i = 8; i < 12; ++i) four_gigabytes[i] = '\xff';
  refuses("a.npy", four_gigabytes,
          "truncated in the .npy header, or its length is wrong: it promises 4294967295 bytes, the file has 140 left");
  refuses("a.npy", npy_header(dictionary("<f4", "(6,)"), 70000, 2) + std::string(24, '\0'),
          "malformed .npy header: 69988 bytes long, at most 65535 are read");
  // Ten bytes short: the rest of the header would be read as data.
  std::string short_length = npy_header(dictionary("<f4", "(6,)")) + std::string(24, '\0');
  short_length[8] = 108;
  refuses("a.npy", short_length, "10 bytes after the 24 that its header promises (6 f32); write it again");
}

TEST(NpyRefuse, UnknownVersions) {
  std::string bytes = npy_header(dictionary("<f4", "(6,)")) + std::string(24, '\0');
  bytes[6] = 4;
  refuses("a.npy", bytes, ".npy version 4.0 is unknown; versions 1.0, 2.0 and 3.0 are read");
  bytes[6] = 1;
  bytes[7] = 1;
  refuses("a.npy", bytes, ".npy version 1.1 is unknown; versions 1.0, 2.0 and 3.0 are read");
}

TEST(NpyRefuse, PayloadsOfAnotherSize) {
  const std::string header = npy_header(dictionary("<f2", "(1, 64, 56, 56)"));
  refuses("a.npy", header + std::string(401407, '\0'),
          "truncated: payload has 401407 bytes, its header promises 401408 (1x64x56x56 f16); write or copy it again");
  refuses("a.npy", header,
          "truncated: payload has 0 bytes, its header promises 401408 (1x64x56x56 f16); write or copy it again");
  refuses("a.npy", header + std::string(401409, '\0'),
          "1 byte after the 401408 that its header promises (1x64x56x56 f16); write it again");
}

TEST(NpyRefuse, DictionariesThatAreNotWhatNumpyWrites) {
  refuses_malformed("", "expected '{' at the end");
  refuses_malformed("['descr']", "expected '{' before '['descr']'");
  refuses_malformed("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)", "expected ',' or '}' at the end");
  refuses_malformed("{'descr': '<f4', 'fortran_order': False, 'shape': (6,", "expected a dimension at the end");
  refuses_malformed("{'descr': '<f4", "a string has no closing quote");
  refuses_malformed("{'descr': '<f4', 'fortran_order': False}", "key 'shape' is missing");
  refuses_malformed("{'descr': '<f4', 'shape': (6,)}", "key 'fortran_order' is missing");
  refuses_malformed("{'fortran_order': False, 'shape': (6,)}", "key 'descr' is missing");
  refuses_malformed("{'descr': '<f4', 'descr': '<f2', 'fortran_order': False, 'shape': (6,)}",
                    "key 'descr' appears twice");
  refuses_malformed("{'descr': '<f4', 'shape': (6,), 'shape': (6,), 'fortran_order': False}",
                    "key 'shape' appears twice");
  refuses_malformed("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'extra': 1}", "unknown key 'extra'");
  refuses_malformed("{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}",
                    "fortran_order is neither True nor False before '0, 'shape': (6,)}'");
}

TEST(NpyRefuse, ShapesThatCannotBe) {
  const auto shape = [](const std::string& text) { return dictionary("<f4", text); };
  refuses_malformed(shape("(-6,)"), "dimension -6 is negative");
  refuses_malformed(shape("(6)"), "shape (6) is not a tuple");
  refuses_malformed(shape("(9223372036854775808,)"), "a dimension passes 2^63");
  refuses("a.npy", npy_header(shape("(" + std::string(65 * 2, ' ') + ")"), 448) + std::string(4, '\0') + "x",
          "1 byte after the 4 that its header promises (scalar f32); write it again");
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  refuses("a.npy", npy_header(shape("(" + ones + ")"), 448) + std::string(4, '\0'),
          "malformed .npy header: shape has more than 64 dimensions; save the array again with numpy.save");
  refuses_header(shape("(0, 6)"), "holds no elements (shape 0x6); nothing could be checked");
  // 2^32·2^32 is 0 in 64 bits.
  refuses_header(shape("(4294967296, 4294967296)"),
                 "shape 4294967296x4294967296: more than 2^40 elements; split the case into smaller ones");
  // Promises 4 TiB, and gets not one byte of memory.
  refuses_header(shape("(1099511627776,)"),
                 "truncated: payload has 24 bytes, its header promises 4398046511104 (1099511627776 f32); write or "
                 "copy it again");
}

TEST(NpyRefuse, TypesThatAreNoNumbersOfOurs) {
  const std::string pickled =
      "holds pickled Python objects (dtype 'O'), which are never loaded; save it with a numeric dtype";
  refuses_header(dictionary("|O", "(3,)"), pickled);
  refuses_header(dictionary("O", "(3,)"), pickled);
  refuses_header("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (3,)}",
                 "holds a structured dtype; save each field as an array of its own");
  for (const char* descr : {"<c8", "<U3", "|S8", "<M8[ns]", "<i2", "|i1", "<u4", "<f16", "=f4", "|f4", "f4", "", "<"}) {
    refuses_header(dictionary(descr, "(6,)"),
                   "dtype '" + std::string(descr) +
                       "' is not supported; convert it to one of f8, f4, f2, i8, i4, u1, b1 " +
                       "(or bf16 as '<u2' bit patterns)");
  }
  refuses_header(dictionary("<u2", "(12,)"),
                 "dtype '<u2' holds 16-bit patterns; it is read as bf16 only where bf16 is declared");
  refuses("a.npy", npy_header(dictionary("<u2", "(12,)")) + std::string(24, '\0'),
          "dtype '<u2' holds 16-bit patterns, declared f16; it is read as bf16 only where bf16 is declared",
          {DType::f16, std::nullopt});
  refuses("a.npy", npy_header(dictionary("|b1", "(3,)")) + std::string("\x01\x00\x02", 3),
          "element 2 of a boolean tensor is 2; write 0 or 1");
}

TEST(NpyRefuse, BinsOfAnotherSize) {
  const Declared declared = {DType::f16, Shape{1, 64, 56, 56}};
  const auto bin = [&](std::size_t size, const std::string& message) {
    refuses("y.bin", std::string(size, '\x01'), "has " + message, declared);
  };
  bin(401416, "401416 bytes, expected 401408 (1x64x56x56 f16): 8 bytes more; is there a header?");
  bin(401536, "401536 bytes, expected 401408 (1x64x56x56 f16): 128 bytes more; is it a .npy file that was renamed?");
  bin(401407, "401407 bytes, expected 401408 (1x64x56x56 f16): 1 byte fewer; check the declared shape and dtype");
  bin(802816, "802816 bytes, expected 401408 (1x64x56x56 f16): 401408 bytes more; check the declared shape and dtype");
  refuses("y.bin", npy_header(dictionary("<f2", "(1,)")) + "ab", "starts with a .npy header; rename it to .npy",
          declared);
}

TEST(NpyRefuse, BinsThatAreNotDeclared) {
  const std::string bytes(8, '\0');
  refuses("y.bin", bytes, "has no .npy header, so its dtype and shape must be declared");
  refuses("y.bin", bytes, "has no .npy header, so its shape must be declared", {DType::f32, std::nullopt});
  refuses("y.bin", bytes, "has no .npy header, so its dtype must be declared", {std::nullopt, Shape{2}});
  refuses("y.bin", bytes, "declared with no elements; nothing could be checked", {DType::f32, Shape{0}});
}

TEST(NpyRefuse, FilesThatAreAbsentOrUnreadable) {
  const TempDir folder;
  const auto absent = folder / "absent.npy";
  expect_error(ErrorKind::no_verdict, absent.string() + ": no such file", [&] { read_tensor(absent); });
  expect_error(ErrorKind::no_verdict, absent.string() + ": no such file", [&] { read_header(absent); });
  const auto below = folder.write("file", "x") / "a.npy";
  expect_error(ErrorKind::no_verdict, HasSubstr(below.string() + ": "), [&] { read_tensor(below); });
  expect_error(ErrorKind::usage, folder.path().string() + ": is a directory; name a .npy or .bin file in it",
               [&] { read_tensor(folder.path()); });
  // Nobody writes to the pipe: opening it would wait for ever.
  const auto pipe = folder / "pipe.npy";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_error(ErrorKind::usage, pipe.string() + ": is not a regular file; save it as one first",
               [&] { read_tensor(pipe); });
}

TEST(NpyRefuse, FilesWithoutPermission) {
  const TempDir folder;
  const auto file = folder.write("a.npy", npy_header(dictionary("<f4", "(1,)")) + std::string(4, '\0'));
  std::filesystem::permissions(file, std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  // Root may read everything; any other user will do.
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  expect_error(ErrorKind::no_verdict, file.string() + ": cannot be read; check its permissions",
               [&] { read_tensor(file); });
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

// A message is one line, whatever the file is called.
TEST(NpyRefuse, FilesWithUnprintableNames) {
  const TempDir folder;
  const auto file = folder / "a\nb.npy";
  expect_error(ErrorKind::no_verdict, HasSubstr("/a\\x0ab.npy': no such file"), [&] { read_tensor(file); });
}

}  // namespace
}  // namespace fusecheck
