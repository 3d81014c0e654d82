// A tree with two small cases, made once a test by the real program, and a kernel's outputs for them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fusecheck/tensor.hpp"
#include "golden/golden_case.hpp"
#include "support/run_command.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {

namespace fs = std::filesystem;

inline const char* const random_line = "ConvRelu/f16/x=1x2x4x4/oc=16/random";
inline const char* const exact_line = "ConvRelu/f16/x=1x2x4x4/oc=16/exact";

inline std::string case_folder(const std::string& line) { return golden::folder_of(parse_case(line)); }

// golden/ with both cases; out/FOLDER holds the emulated outputs of the recipe "epilogue".
class GoldenTree : public ::testing::Test {
 protected:
  void SetUp() override {
    const CommandResult made = run({"golden", "make", "--case", random_line, "--case", exact_line});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const char* line : {random_line, exact_line}) {
      fs::create_directories(out(line));
      const golden::GoldenCase derived = golden::derive(parse_case(line), {});
      for (const auto& [name, tensor] : derived.tensors) {
        const std::string prefix = "emulated/epilogue/";
        if (name.starts_with(prefix)) write_npy(out(line) / (name.substr(prefix.size()) + ".npy"), tensor);
      }
    }
  }

  CommandResult run(const std::vector<std::string>& words) const { return run_fusecheck(words, dir.path().string()); }
  fs::path golden(const std::string& line = random_line) const { return dir / ("golden/" + case_folder(line)); }
  fs::path out(const std::string& line = random_line) const { return dir / ("out/" + case_folder(line)); }
  CommandResult compare(const std::vector<std::string>& more = {}, const std::string& line = random_line) const {
    std::vector<std::string> words = {"compare", "out/" + case_folder(line), "golden/" + case_folder(line)};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  TempDir dir;
};

// Changes one byte of a file.
inline void flip(const fs::path& file, std::size_t at, unsigned char mask) {
  std::string bytes = read_bytes(file);
  ASSERT_LT(at, bytes.size());
  bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ mask);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

inline void overwrite(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace fusecheck::testing
