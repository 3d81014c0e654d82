#include "suite/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

#include "base/float_environment.hpp"

namespace fusecheck::suite {
namespace {

// What the threads share.
class Pool {
 public:
  Pool(const RunRequest& request, ResultWriter& writer) : request_(request), writer_(writer) {
    counts_.total = request.todo.size();
  }

  void work() {
    try {
      require_default_float_environment();
      for (std::size_t at = next_++; at < request_.todo.size() && !stopped_; at = next_++) {
        const CaseRecord record = judge_case(request_, request_.todo[at]);
        writer_.add(record);
        const std::lock_guard lock(mutex_);
        counts_.add(record, request_.today);
        const std::size_t failures = counts_.of("fail") + counts_.of("error") + counts_.of("xpass");
        if (request_.max_failures > 0 && failures >= request_.max_failures) stopped_ = true;
      }
    } catch (...) {
      stopped_ = true;
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --working_;
    idle_.notify_all();
  }

  Counts run(const std::function<bool(const Counts&)>& watch) {
    std::vector<std::thread> threads;
    working_ = std::clamp<std::size_t>(static_cast<std::size_t>(request_.jobs), 1,
                                       std::max<std::size_t>(request_.todo.size(), 1));
    for (std::size_t i = working_; i > 0; --i) threads.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    while (!idle_.wait_for(lock, std::chrono::milliseconds(100), [this] { return working_ == 0; })) {
      const Counts so_far = counts_;
      lock.unlock();
      if (!watch(so_far)) stopped_ = true;
      lock.lock();
    }
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    watch(counts_);
    return counts_;
  }

 private:
  const RunRequest& request_;
  ResultWriter& writer_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t working_ = 0;
  Counts counts_;
  std::exception_ptr error_;
};

}  // namespace

std::size_t Counts::of(std::string_view status) const {
  const auto found = by_status.find(status);
  return found == by_status.end() ? 0 : found->second;
}

void Counts::add(const CaseRecord& record, const std::string& today) {
  const std::string status = status_on(record, today);
  ++by_status[status];
  if (status == "error") ++errors[record.kind];
}

int exit_code(const Counts& counts) {
  if (counts.errors.contains("internal")) return 70;
  if (counts.errors.contains("usage")) return 2;
  if (counts.of("fail") + counts.of("xpass") > 0) return 1;
  if (counts.of("error") > 0) return 3;
  return counts.of("pass") > 0 ? 0 : 4;
}

Counts run_cases(const RunRequest& request, ResultWriter& writer, const std::function<bool(const Counts&)>& watch) {
  return Pool(request, writer).run(watch);
}

}  // namespace fusecheck::suite
