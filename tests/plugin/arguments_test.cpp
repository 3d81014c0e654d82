#include "plugin/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.hpp"

namespace fusecheck::plugin {
namespace {

using ::testing::ElementsAre;

TEST(Arguments, SplitAtBlanksAndHoldQuotesTogether) {
  EXPECT_THAT(split_command("run  {dir}\t--fast", "--exec"), ElementsAre("run", "{dir}", "--fast"));
  EXPECT_THAT(split_command("'my kernels/run' \"a 'b'\" x''y ''", "--exec"),
              ElementsAre("my kernels/run", "a 'b'", "xy", ""));
}

// Nobody expands anything: these are words like any other.
TEST(Arguments, KnowNoShell) {
  EXPECT_THAT(split_command("run $HOME *.npy; rm | cat > f \\n `id`", "--exec"),
              ElementsAre("run", "$HOME", "*.npy;", "rm", "|", "cat", ">", "f", "\\n", "`id`"));
}

TEST(Arguments, FillInPlaceholdersOnce) {
  EXPECT_THAT(fill_in({"run", "{dir}/in", "{case}", "{"}, {{"dir", "/t m/{case}"}, {"case", "relu/f32"}}, "--exec"),
              ElementsAre("run", "/t m/{case}/in", "relu/f32", "{"));
}

TEST(Arguments, RefuseWhatIsNoCommand) {
  fusecheck::testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("--exec names no program"),
                                   [] { split_command(" \t", "--exec"); });
  fusecheck::testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("a quote is not closed"),
                                   [] { split_command("run 'a", "--exec"); });
  fusecheck::testing::expect_error(ErrorKind::usage, ::testing::HasSubstr("unknown placeholder '{ dir }'"), [] {
    fill_in({"{ dir }"}, {{"dir", "x"}}, "--exec");
  });
}

}  // namespace
}  // namespace fusecheck::plugin
