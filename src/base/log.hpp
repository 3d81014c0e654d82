// Diagnostics for whoever debugs fusecheck: to stderr, off unless asked for. Results and errors never go through here.
#pragma once

#include <cstdint>
#include <string_view>

namespace fusecheck::base {

enum class LogLevel : std::uint8_t { off, info, debug };

// Applies to the whole process; the command line calls it once, before anything else runs.
void set_log_level(LogLevel level);

// One line; dropped below the chosen level. May be called from any thread.
void log_info(std::string_view message);
void log_debug(std::string_view message);

}  // namespace fusecheck::base
