#include "base/log.hpp"

#include <gtest/gtest.h>

namespace fusecheck::base {
namespace {

TEST(Log, IsOffUntilAskedForAndGoesToStderr) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  log_info("before");
  set_log_level(LogLevel::info);
  log_info("100 % {}");  // text and not a format string
  log_debug("too detailed");
  set_log_level(LogLevel::off);
  log_info("after");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "fusecheck [info] 100 % {}\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace fusecheck::base
