// Runs the real program on the kernels of this folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/run_command.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {

using Arguments = std::vector<std::string>;

inline std::string kernel_file(const std::string& name) {
  return (std::filesystem::path(FUSECHECK_BINARY).parent_path() / "kernels" / name).string();
}

inline std::string source_file(const std::string& name) {
  return std::string(FUSECHECK_SOURCE_DIR) + "/tests/plugin/kernels/" + name;
}

// An environment variable for the programs that a test starts.
class Environment {
 public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Environment() { unsetenv(name_.c_str()); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
};

// relu of 2x3x4 f32 elements on one data set.
inline CommandResult run_relu(const Arguments& how, const std::string& data = "random") {
  Arguments arguments = {"--op", "relu", "--shape", "2x3x4", "--dtype", "f32", "--direction", "fwd", "--data", data};
  arguments.insert(arguments.end(), how.begin(), how.end());
  return run_fusecheck(arguments);
}

// By relu_exec, one process for each case.
inline CommandResult run_relu_program(const std::string& fault, Arguments more = {},
                                      const std::string& data = "random") {
  Arguments how = {"--kernel", source_file("relu.yaml"), "--exec",
                   "'" + kernel_file("relu_exec") + "' " + fault + " {dir}"};
  how.insert(how.end(), more.begin(), more.end());
  return run_relu(how, data);
}

// By relu_plugin.so.
inline CommandResult run_relu_plugin(const std::string& fault, Arguments more = {},
                                     const std::string& data = "random") {
  const Environment environment("RELU_FAULT", fault);
  Arguments how = {"--plugin", kernel_file("relu_plugin.so")};
  how.insert(how.end(), more.begin(), more.end());
  return run_relu(how, data);
}

// Judged, and the answer is no: the report says so twice, in a line of its own and in the last.
inline void expect_rejected(const CommandResult& result, const std::string& says) {
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr(says));
  EXPECT_THAT(result.out, ::testing::HasSubstr("\nFAIL  kernel"));
}

// No verdict: nothing on stdout, and the last line of stderr says why.
inline void expect_no_answer(const CommandResult& result, const std::string& says) {
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::HasSubstr(says));
}

inline void expect_pass(const CommandResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("\nPASS  "));
}

}  // namespace fusecheck::testing
