#include "engine/workers.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/float_environment.hpp"

namespace fusecheck::engine {
namespace {

// Threads that sleep between calls: to wake one takes a fraction of the time that starting one takes.
class Crew {
 public:
  // Runs `part` here and on up to `helpers` other threads, and returns when all who began it are done.
  void run(int helpers, const std::function<void()>& part) {
    {
      const std::lock_guard lock(mutex_);
      while (std::ssize(threads_) < helpers)
        threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
      part_ = &part;
      open_ = helpers;
    }
    wake_.notify_all();
    part();
    std::unique_lock lock(mutex_);
    open_ = 0;  // who has not begun by now has nothing to do any more
    idle_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void serve(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return open_ > 0; })) {
      --open_;
      ++running_;
      lock.unlock();
      (*part_)();
      lock.lock();
      if (--running_ == 0) idle_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable idle_;
  const std::function<void()>* part_ = nullptr;
  int open_ = 0, running_ = 0;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

struct Release {
  std::atomic<bool>& taken;
  ~Release() { taken = false; }
};

}  // namespace

void share(std::int64_t count, int threads, const std::function<void(std::int64_t, std::int64_t)>& work) {
  const std::int64_t parts = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  constexpr std::int64_t ranges_per_thread = 16;
  const std::int64_t ranges = parts == 1 ? 1 : std::min(count, parts * ranges_per_thread);
  std::atomic<std::int64_t> next = 0;
  std::mutex error_mutex;
  std::exception_ptr error;
  const std::function<void()> part = [&] {
    try {
      require_default_float_environment();
      for (std::int64_t r = next++; r < ranges; r = next++) work(count * r / ranges, count * (r + 1) / ranges);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
  };
  static Crew crew;
  static std::atomic<bool> crew_is_taken = false;
  if (parts > 1 && !crew_is_taken.exchange(true)) {
    const Release release{crew_is_taken};
    crew.run(static_cast<int>(parts - 1), part);
  } else {
    part();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace fusecheck::engine
