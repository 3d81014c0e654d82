#include "plugin/fault_watch.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace fusecheck::plugin {
namespace {

// What the handler reads: made before the kernel runs, since nothing may be allocated in a handler.
struct Zone {
  std::uintptr_t begin, end, data, data_end;
  std::string before, after;  // "rejected PATH accesses memory out of bounds: y ends ", up to the distance
};
struct Watched {
  std::vector<Zone> zones;
  int descriptor = -1;
};

// A signal handler gets no other argument. Written by FaultWatch alone, in the one thread that calls the kernel.
Watched* volatile watched = nullptr;

void write_all(int descriptor, const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(descriptor, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

void write_number(int descriptor, std::uintptr_t value) {
  char digits[20];
  std::size_t begin = sizeof digits;
  do {
    digits[--begin] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  write_all(descriptor, digits + begin, sizeof digits - begin);
}

void on_fault(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const Watched* const known = watched;
  if (known != nullptr) {
    for (const Zone& zone : known->zones) {
      if (address < zone.begin || address >= zone.end) continue;
      const bool below = address < zone.data;
      const std::string& text = below ? zone.before : zone.after;
      write_all(known->descriptor, text.data(), text.size());
      write_number(known->descriptor, below ? zone.data - address : address - zone.data_end + 1);
      write_all(known->descriptor, "\n", 1);
      _exit(1);
    }
  }
  std::signal(signal, SIG_DFL);  // the instruction runs again, and the signal ends the process
}

}  // namespace

FaultWatch::FaultWatch(const std::vector<GuardedBuffer>& buffers, const std::string& path, int descriptor)
    : stack_(64 * 1024) {
  auto* const made = new Watched{{}, descriptor};
  const std::string begin = "rejected " + path + " accesses memory out of bounds, ";
  for (const GuardedBuffer& buffer : buffers) {
    const auto data = reinterpret_cast<std::uintptr_t>(buffer.bytes().data());
    made->zones.push_back({buffer.begin(), buffer.end(), data, data + buffer.bytes().size(),
                           begin + "before the start of " + buffer.name() + ", at byte -",
                           begin + "after the end of " + buffer.name() + ", at byte +"});
  }
  watched = made;
  stack_t stack{};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

FaultWatch::~FaultWatch() {
  std::signal(SIGSEGV, SIG_DFL);
  std::signal(SIGBUS, SIG_DFL);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  delete watched;
  watched = nullptr;
}

}  // namespace fusecheck::plugin
