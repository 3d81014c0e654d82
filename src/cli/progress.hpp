// What a long run shows on stderr while it goes on: a bar on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

#include "suite/run.hpp"

namespace fusecheck::cli {

enum class ProgressKind { bar, plain, none };

class Progress {
 public:
  // `name` stands in every plain line: "suite pr, shard 3/8".
  Progress(std::ostream& err, ProgressKind kind, std::string name);
  // Shows at most ten bars a second; a plain line every 30 seconds and at each tenth, nothing in the first second.
  void update(const suite::Counts& counts);
  void finish();  // takes the bar away

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(const suite::Counts& counts, std::size_t done, double seconds) const;
  std::ostream& err_;
  ProgressKind kind_;
  std::string name_;
  Clock::time_point begin_, last_;
  std::size_t tenth_ = 0;
  bool shown_ = false;
};

}  // namespace fusecheck::cli
