// What the tree promises besides its layers: every op has its test, and files stay small.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/includes.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck {
namespace {

using testing::read_bytes;
using testing::TempDir;

const std::filesystem::path root = FUSECHECK_SOURCE_DIR;

std::vector<std::filesystem::path> op_files(const std::filesystem::path& tree) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tree / "kernels_ref")) {
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  }
  return files;
}

std::vector<std::string> ops_without_test(const std::filesystem::path& tree) {
  std::vector<std::string> names;
  for (const auto& file : op_files(tree)) {
    const std::string name = file.stem().string();
    if (!std::filesystem::exists(tree / "tests/ops" / (name + "_test.cpp"))) names.push_back(name);
  }
  return names;
}

std::int64_t lines_of(const std::filesystem::path& file) {
  const std::string text = read_bytes(file);
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Tree, HasATestOfItsOwnForEveryOp) {
  // The eight fused ops and the five primitives of the convolution family, at least.
  EXPECT_GE(op_files(root).size(), 13u);
  for (const std::string& name : ops_without_test(root)) {
    ADD_FAILURE() << "kernels_ref/" << name << ".cpp has no tests/ops/" << name << "_test.cpp";
  }
}

TEST(Tree, MissesAPlantedOpWithoutTest) {
  const TempDir tree;
  std::filesystem::create_directories(tree / "kernels_ref");
  std::filesystem::create_directories(tree / "tests/ops");
  tree.write("kernels_ref/relu.cpp", "");
  tree.write("kernels_ref/gelu.cpp", "");
  tree.write("tests/ops/relu_test.cpp", "");
  EXPECT_EQ(ops_without_test(tree.path()), std::vector<std::string>{"gelu"});
}

TEST(Tree, KeepsOpsUnder250Lines) {
  for (const auto& file : op_files(root)) EXPECT_LT(lines_of(file), 250) << file;
}

TEST(Tree, KeepsSourcesWithin400Lines) {
  const auto rules = testing::parse_rules(read_bytes(root / "tests/architecture/layers.txt"));
  for (const std::string& file : testing::source_files(root, rules)) EXPECT_LE(lines_of(root / file), 400) << file;
}

}  // namespace
}  // namespace fusecheck
