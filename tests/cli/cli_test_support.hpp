// Runs the real program in a folder of its own and looks at everything it left there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "fusecheck/tensor.hpp"
#include "support/run_command.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// "--op ConvRelu --shape 1,2,3,4" as a user types it; no quoting.
inline Arguments words(const std::string& line) {
  Arguments result;
  std::string word;
  for (const char c : line + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      result.push_back(std::move(word));
      word.clear();
    }
  }
  return result;
}

// Every file below the folder with its bytes.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    files[entry.path().string()] = entry.is_regular_file() ? read_bytes(entry.path()) : "";
  }
  return files;
}

// Refused: that exit code, one line on stderr with that text, nothing on stdout, nothing written (--save included).
inline void expect_refused(const Arguments& arguments, int exit_code, const std::string& says, const TempDir& folder) {
  const auto before = contents(folder.path());
  const CommandResult result = run_fusecheck(arguments, folder.path().string());
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr(says));
  EXPECT_TRUE(result.err.starts_with("fusecheck: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contents(folder.path()) == before) << "something was written to the folder";
}

// A tensor whose elements are multiples of 1/8 in [-1, 1): exact in every type here.
inline Tensor small_tensor(DType dtype, const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * 5 % 16) / 8 - 1;
  return Tensor::from(dtype, shape, std::span<const double>(values));
}

}  // namespace fusecheck::testing
