// The process that a plug-in runs in: 'fusecheck plugin-worker LIBRARY', started by batch.cpp and by nobody else.
#pragma once

#include <string>

namespace fusecheck::plugin {

inline constexpr const char* worker_command = "plugin-worker";

// Loads the library and answers one case folder after another (transport.hpp, and "rejected PATH WHY") until stdin
// ends. Returns the process's exit code.
int run_worker(const std::string& library);

}  // namespace fusecheck::plugin
