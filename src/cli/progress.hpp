// What a long run shows on stderr while it goes on: a bar on a terminal, plain lines elsewhere.
#pragma once

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
  // `seconds` since the run began. Shows a bar whenever it is called, or a plain line every 30 seconds and at each
  // tenth; nothing in the first second.
  void update(const suite::Counts& counts, double seconds);
  void finish();  // takes the bar away

 private:
  std::string line(const suite::Counts& counts, std::size_t done, double seconds) const;
  std::ostream& err_;
  ProgressKind kind_;
  std::string name_;
  double last_ = 0;  // seconds at the last plain line
  std::size_t tenth_ = 0;
  bool shown_ = false;
};

}  // namespace fusecheck::cli
