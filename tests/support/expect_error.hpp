// Asserts that a call throws fusecheck::Error of one kind with one message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck::testing {

// The message's shape is a contract (fusecheck/error.hpp): one line, no full stop at its end.
template <class Call>
void expect_error(ErrorKind kind, const ::testing::Matcher<std::string>& message, Call call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << text;
    EXPECT_THAT(text, message);
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_FALSE(text.empty() || text.back() == '.') << text;
    return;
  }
  ADD_FAILURE() << "no error was thrown";
}

}  // namespace fusecheck::testing
