#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace fusecheck::base {
namespace {

// Not spdlog's default logger: that one writes to stdout, which belongs to the result.
spdlog::logger& stderr_logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("fusecheck", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("fusecheck [%l] %v");
    made.set_level(spdlog::level::off);
    return made;
  }();
  return logger;
}

void write(spdlog::level::level_enum level, std::string_view message) {
  stderr_logger().log(level, spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace

void set_log_level(LogLevel level) {
  stderr_logger().set_level(level == LogLevel::off    ? spdlog::level::off
                            : level == LogLevel::info ? spdlog::level::info
                                                      : spdlog::level::debug);
}

void log_info(std::string_view message) { write(spdlog::level::info, message); }

void log_debug(std::string_view message) { write(spdlog::level::debug, message); }

}  // namespace fusecheck::base
