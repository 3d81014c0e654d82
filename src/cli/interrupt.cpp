#include "cli/interrupt.hpp"

#include <csignal>

#include "plugin/process.hpp"
#include "plugin/temp_folder.hpp"

namespace fusecheck::cli {
namespace {

void on_end(int signal) {
  plugin::kill_running();
  plugin::remove_temp_folders();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void kill_kernels_when_ended() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What is ignored stays so: nohup, and jobs in the background.
    if (std::signal(signal, on_end) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace fusecheck::cli
