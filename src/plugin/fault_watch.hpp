// Turns an access to the forbidden zones around a plug-in's tensors into an answer that names the tensor.
#pragma once

#include <string>
#include <vector>

#include "plugin/guarded_buffer.hpp"

namespace fusecheck::plugin {

// While one lives, SIGSEGV and SIGBUS at an address in a buffer's zones write "rejected PATH WHY" to the descriptor and
// end the process; at any other address the signal ends it as usual. One at a time: signals are the process's.
class FaultWatch {
 public:
  FaultWatch(const std::vector<GuardedBuffer>& buffers, const std::string& path, int descriptor);
  ~FaultWatch();
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;

 private:
  std::vector<char> stack_;  // the handler's: the kernel may have used up its own
};

}  // namespace fusecheck::plugin
