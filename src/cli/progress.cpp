#include "cli/progress.hpp"

#include <cmath>
#include <ostream>

#include "report/format.hpp"

namespace fusecheck::cli {
namespace {

std::string whole(std::size_t count) { return report::grouped(static_cast<std::int64_t>(count)); }

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min";
  return std::to_string(s / 3600) + " h " + std::to_string(s / 60 % 60) + " min";
}

}  // namespace

Progress::Progress(std::ostream& err, ProgressKind kind, std::string name)
    : err_(err), kind_(kind), name_(std::move(name)) {}

std::string Progress::line(const suite::Counts& counts, std::size_t done, double seconds) const {
  const double rate = static_cast<double>(done) / seconds;
  const double left = static_cast<double>(counts.total - done) / rate;
  std::string text = whole(done) + " of " + whole(counts.total) + " (" + std::to_string(100 * done / counts.total) +
                     " %)  " + report::short_number(rate) + " cases/s";
  if (done < counts.total && done > 0) text += "  ETA " + duration(left);
  for (const char* status : {"fail", "error", "weak"}) {
    if (counts.of(status) > 0) text += "  " + std::string(status) + " " + whole(counts.of(status));
  }
  return text;
}

void Progress::update(const suite::Counts& counts, double seconds) {
  std::size_t done = 0;
  for (const auto& [status, number] : counts.by_status) done += number;
  if (kind_ == ProgressKind::none || counts.total == 0 || seconds < 1) return;
  if (kind_ == ProgressKind::bar) {
    constexpr std::size_t width = 24;
    const std::size_t full = width * done / counts.total;
    std::string bar = std::string(full, '=') + (full < width ? ">" : "");
    bar.resize(width, ' ');
    err_ << "\r\033[K[" << bar << "] " << line(counts, done, seconds) << std::flush;
    shown_ = true;
    return;
  }
  const std::size_t tenth = 10 * done / counts.total;
  const bool pause = seconds - last_ >= 30;
  if (tenth == tenth_ && !pause) return;
  tenth_ = tenth;
  last_ = seconds;
  err_ << "fusecheck: " << name_ << ": " << line(counts, done, seconds) << "\n" << std::flush;
}

void Progress::finish() {
  if (shown_) err_ << "\r\033[K" << std::flush;
  shown_ = false;
}

}  // namespace fusecheck::cli
