// A plug-in's shared library.
#pragma once

#include <string>

#include "fusecheck/fusecheck_plugin.h"

namespace fusecheck::plugin {

// Loads it and checks its table. No-verdict error: it cannot be loaded, lacks the entry, is of a version or size that
// this fusecheck does not know, or has a function that is null. Stays loaded until the process ends.
const fusecheck_plugin& load_library(const std::string& path);

}  // namespace fusecheck::plugin
