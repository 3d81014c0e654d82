#include "plugin/library.hpp"

#include <dlfcn.h>

#include <bit>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {

const fusecheck_plugin& load_library(const std::string& path) {
  const std::string name = "plug-in " + base::quoted_path(path);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) no_verdict_error(name + " cannot be loaded: " + dlerror());
  void* const symbol = dlsym(library, "fusecheck_plugin_entry");
  if (symbol == nullptr) no_verdict_error(name + " has no function fusecheck_plugin_entry (C linkage)");
  const auto entry = std::bit_cast<fusecheck_plugin_entry_type>(symbol);
  const fusecheck_plugin* const table = entry();
  if (table == nullptr) no_verdict_error(name + ": fusecheck_plugin_entry returned null");
  if (table->version != FUSECHECK_PLUGIN_VERSION) {
    no_verdict_error(name + " is made for version " + std::to_string(table->version) +
                     " of fusecheck_plugin.h, this is " + std::to_string(FUSECHECK_PLUGIN_VERSION) +
                     "; compile it again");
  }
  if (table->size < sizeof(fusecheck_plugin)) {
    no_verdict_error(name + ": its table has " + std::to_string(table->size) + " bytes, version " +
                     std::to_string(FUSECHECK_PLUGIN_VERSION) + " has " + std::to_string(sizeof(fusecheck_plugin)));
  }
  if (table->info == nullptr || table->supports == nullptr || table->run == nullptr || table->last_error == nullptr) {
    no_verdict_error(name + ": its table holds a null function; all four are needed");
  }
  return *table;
}

}  // namespace fusecheck::plugin
