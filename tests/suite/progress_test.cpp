// What a run shows while it goes on.
#include "cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace fusecheck::testing {
namespace {

suite::Counts counts(std::size_t pass, std::size_t fail, std::size_t total) {
  suite::Counts some;
  some.by_status = {{"pass", pass}, {"fail", fail}};
  some.total = total;
  return some;
}

// 3,000 of 12,000 in 10 s: 300 a second, 30 s for the other 9,000; a quarter of 24 characters.
TEST(Progress, IsABarOnATerminal) {
  std::ostringstream out;
  cli::Progress progress(out, cli::ProgressKind::bar, "suite s");
  progress.update(counts(2998, 2, 12000), 10);
  EXPECT_EQ(out.str(), "\r\033[K[======>                 ] 3,000 of 12,000 (25 %)  300 cases/s  ETA 30 s  fail 2");
  progress.finish();
  EXPECT_TRUE(out.str().ends_with("\r\033[K"));
}

TEST(Progress, SaysNothingInTheFirstSecond) {
  for (const cli::ProgressKind kind : {cli::ProgressKind::bar, cli::ProgressKind::plain}) {
    std::ostringstream out;
    cli::Progress progress(out, kind, "suite s");
    progress.update(counts(10, 0, 10), 0.9);
    progress.finish();
    EXPECT_EQ(out.str(), "");
  }
}

// At each tenth, and after 30 seconds without a line.
TEST(Progress, IsPlainLinesElsewhere) {
  std::ostringstream out;
  cli::Progress progress(out, cli::ProgressKind::plain, "suite s");
  progress.update(counts(9, 0, 100), 2);  // no tenth yet
  progress.update(counts(10, 0, 100), 2.5);
  progress.update(counts(11, 0, 100), 3);
  progress.update(counts(12, 0, 100), 32.4);
  progress.update(counts(12, 0, 100), 32.5);
  progress.update(counts(100, 0, 100), 50);
  EXPECT_EQ(out.str(),
            "fusecheck: suite s: 10 of 100 (10 %)  4 cases/s  ETA 23 s\n"
            "fusecheck: suite s: 12 of 100 (12 %)  0.369 cases/s  ETA 3 min\n"
            "fusecheck: suite s: 100 of 100 (100 %)  2 cases/s\n");
}

TEST(Progress, IsSilentWhenAsked) {
  std::ostringstream out;
  cli::Progress progress(out, cli::ProgressKind::none, "suite s");
  progress.update(counts(50, 50, 100), 100);
  progress.finish();
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace fusecheck::testing
