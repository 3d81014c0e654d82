// docs/ops.md says what the operators say of themselves.
#include "check/op_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "fusecheck/registry.hpp"

namespace fusecheck {
namespace {

using ::testing::HasSubstr;

TEST(OpReference, CommittedPageIsTheOneThatTheOperatorsGive) {
  std::ifstream file(std::string(FUSECHECK_SOURCE_DIR) + "/docs/ops.md", std::ios::binary);
  const std::string committed((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(committed == op_reference()) << "docs/ops.md is stale; write it with\n"
                                              "  fusecheck list ops --markdown > docs/ops.md";
}

// What a person expects of ConvRelu: conv2d's ports and attributes, the body, y kept in the accumulator until its one
// rounding, dconv rounded in front of the two gradient convolutions.
TEST(OpReference, SectionSaysWhatTheOpFileSays) {
  const std::string text = op_section(find_op("ConvRelu"));
  for (const char* part :
       {"\n## ConvRelu\n", "`y = relu(conv(x, w) + b)`, also called FusedConvRelu",
        "conv = conv2d(x, w, b)\ny = relu(conv)", "| `x` | input | data | n, c, h, w | `dx` |",
        "| `b` | input, may be left out | parameter | oc | `db` |", "| `stride` | 1,1 | step down, right |",
        "| `epilogue` |", "| `unfused` |", "| `conv`, `dconv` storage | 1 |",
        "| `y` | output | data | the shape of conv | `dy` goes in |", "convolution"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

// In training other recipes count, and one of them is lossy; db is zero there.
TEST(OpReference, ModesAndLossyRecipesAreNamed) {
  const std::string text = op_section(find_op("ConvBn"));
  EXPECT_THAT(text, HasSubstr("| `epilogue`, inference |"));
  EXPECT_THAT(text, HasSubstr("| `one_pass`, training, lossy |"));
  EXPECT_THAT(text, HasSubstr("`db` in training proves nothing: zero in exact arithmetic"));
}

}  // namespace
}  // namespace fusecheck
