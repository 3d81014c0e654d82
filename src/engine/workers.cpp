#include "engine/workers.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "base/float_environment.hpp"

namespace fusecheck::engine {

void share(std::int64_t count, int threads, const std::function<void(std::int64_t, std::int64_t)>& work) {
  const std::int64_t parts = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  constexpr std::int64_t ranges_per_thread = 8;
  const std::int64_t ranges = parts == 1 ? 1 : std::min(count, parts * ranges_per_thread);
  std::atomic<std::int64_t> next = 0;
  const auto part = [&](std::int64_t i) {
    try {
      require_default_float_environment();
      for (std::int64_t r = next++; r < ranges; r = next++) work(count * r / ranges, count * (r + 1) / ranges);
    } catch (...) {
      errors[static_cast<std::size_t>(i)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::int64_t i = 1; i < parts; ++i) others.emplace_back(part, i);
    part(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace fusecheck::engine
