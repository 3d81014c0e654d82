#include "engine/workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fusecheck::engine {
namespace {

// How often each of `count` numbers was handed out.
std::vector<int> handed_out(std::int64_t count, int threads) {
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
  share(count, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++times[static_cast<std::size_t>(i)];
  });
  return {times.begin(), times.end()};
}

TEST(Workers, HandOutEachNumberOnce) {
  for (const int threads : {1, 2, 3, 7, 2, 1}) {
    for (const std::int64_t count : {0, 1, 2, 15, 16, 17, 1000}) {
      EXPECT_EQ(handed_out(count, threads), std::vector<int>(static_cast<std::size_t>(count), 1)) << count;
    }
  }
}

TEST(Workers, OneThreadIsOneCall) {
  std::vector<std::pair<std::int64_t, std::int64_t>> calls;
  share(1000, 1, [&](std::int64_t begin, std::int64_t end) { calls.emplace_back(begin, end); });
  EXPECT_EQ(calls, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1000}}));
}

// Each of two ranges waits for the other to begin: one thread alone would never end.
TEST(Workers, TwoThreadsWorkAtTheSameTime) {
  std::atomic<int> begun = 0;
  share(2, 2, [&](std::int64_t, std::int64_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(Workers, ThrowWhatTheWorkThrew) {
  for (const int threads : {1, 3}) {
    EXPECT_THROW(share(100, threads,
                       [](std::int64_t begin, std::int64_t) {
                         if (begin == 0) throw std::runtime_error("work");
                       }),
                 std::runtime_error);
    EXPECT_EQ(handed_out(100, threads), std::vector<int>(100, 1));  // and work on
  }
}

// Calls from several threads at once, and from within work.
TEST(Workers, CallsDoNotWaitForOneAnother) {
  std::atomic<std::int64_t> sum = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          share(8, 3, [&](std::int64_t begin, std::int64_t end) {
            share(end - begin, 2, [&](std::int64_t first, std::int64_t last) { sum += last - first; });
          });
        }
      });
    }
  }
  EXPECT_EQ(sum, 4 * 50 * 8);
}

}  // namespace
}  // namespace fusecheck::engine
