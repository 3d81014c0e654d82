// Every damaged file is either a tensor that fits in it, or an Error: no crash, no hang, no memory beyond the file.
#include <gtest/gtest.h>

#include <string>

#include "fusecheck/error.hpp"
#include "fusecheck/tensor.hpp"
#include "support/temp_dir.hpp"
#include "tensor/npy_files.hpp"

namespace fusecheck {
namespace {

using testing::dictionary;
using testing::npy_header;
using testing::TempDir;

// True where the file was read. Any exception but Error ends the test program.
bool reads(const std::filesystem::path& file, std::size_t file_size) {
  try {
    const Tensor tensor = read_tensor(file, {});
    EXPECT_LE(tensor.bytes().size(), file_size);
    EXPECT_EQ(tensor.bytes().size(), static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype()));
    return true;
  } catch (const Error& error) {
    EXPECT_NE(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::internal)) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return false;
  }
}

class NpyMutation : public ::testing::TestWithParam<int> {};

TEST_P(NpyMutation, EveryTruncationIsRefused) {
  const TempDir folder;
  const std::string whole = npy_header(dictionary("<f2", "(2, 3)"), 128, GetParam()) + std::string(12, '\x3c');
  EXPECT_TRUE(reads(folder.write("a.npy", whole), whole.size()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(reads(folder.write("a.npy", whole.substr(0, size)), size)) << size;
  }
}

TEST_P(NpyMutation, EveryFlippedBitIsReadOrRefused) {
  const TempDir folder;
  const std::string whole = npy_header(dictionary("<f2", "(2, 3)", "True"), 128, GetParam()) + std::string(12, '\x3c');
  for (std::size_t position = 0; position < 128; ++position) {
    int read = 0;
    for (const int flip : {0, 1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string changed = whole;
      changed[position] = static_cast<char>(changed[position] ^ flip);
      if (reads(folder.write("a.npy", changed), changed.size())) ++read;
    }
    // The byte that belongs there reads; in the magic, nothing else does.
    EXPECT_GE(read, 1) << position;
    if (position < 6) {
      EXPECT_EQ(read, 1) << position;
    }
  }
}

TEST_P(NpyMutation, EveryByteLeftOutOfTheHeaderIsReadOrRefused) {
  const TempDir folder;
  const std::string whole = npy_header(dictionary("<f2", "(2, 3)"), 128, GetParam()) + std::string(12, '\x3c');
  for (std::size_t position = 0; position < 128; ++position) {
    std::string changed = whole;
    changed.erase(position, 1);
    // One byte of payload is taken for the header's last: what is left is too short, or a smaller shape was made.
    EXPECT_FALSE(reads(folder.write("a.npy", changed), changed.size())) << position;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, NpyMutation, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace fusecheck
