#include "plugin/worker.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "plugin/case_folder.hpp"
#include "plugin/case_view.hpp"
#include "plugin/fault_watch.hpp"
#include "plugin/library.hpp"

namespace fusecheck::plugin {
namespace {

struct Answer {
  std::string word = "done";  // done, unsupported, rejected, failed
  std::string why = {};
};

std::string error_of(const fusecheck_plugin& kernel, const std::string& otherwise) {
  const char* const text = kernel.last_error();
  return text == nullptr || *text == '\0' ? otherwise : text;
}

std::optional<std::string> out_of_bounds(const std::vector<GuardedBuffer>& buffers) {
  for (const GuardedBuffer& buffer : buffers) {
    if (const std::optional<std::string> damage = buffer.damage()) return "writes out of bounds: " + *damage;
  }
  return std::nullopt;
}

std::optional<std::string> modified_input(const std::vector<GuardedBuffer>& buffers,
                                          const std::vector<Tensor>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::span<const std::byte> now = buffers[i].bytes(), before = inputs[i].bytes();
    const auto [first, other] = std::mismatch(now.begin(), now.end(), before.begin());
    if (first == now.end()) continue;
    const auto element = (first - now.begin()) / static_cast<std::ptrdiff_t>(size_of(inputs[i].dtype()));
    return "modifies its input " + buffers[i].name() + ", first at element " + std::to_string(element) + " of " +
           std::to_string(inputs[i].size());
  }
  return std::nullopt;
}

Answer run_case(const fusecheck_plugin& kernel, const CaseFolder& folder, Poison poison, int answers) {
  CaseView view(folder);
  if (kernel.supports(&view.get()) == 0) return {"unsupported", error_of(kernel, "the plug-in does not support it")};
  const auto guard = std::byte{poison == Poison::nan ? std::uint8_t{0xa5} : std::uint8_t{0x5a}};
  std::vector<GuardedBuffer> buffers;
  std::vector<Tensor> inputs;
  for (const TensorPlace& place : folder.inputs) {
    inputs.push_back(read_stored(folder, place));
    const std::span<const std::byte> bytes = std::as_const(inputs.back()).bytes();
    buffers.emplace_back(place.name, bytes.size(), guard);
    std::copy(bytes.begin(), bytes.end(), buffers.back().bytes().begin());
  }
  std::vector<Tensor> outputs;
  for (const TensorPlace& place : folder.outputs) {
    outputs.emplace_back(place.dtype, place.stored_shape());
    buffers.emplace_back(place.name, outputs.back().bytes().size(), guard);
    fill(buffers.back().bytes(), place.dtype, poison);
  }
  view.attach(buffers);
  int code = 0;
  {
    const FaultWatch watch(buffers, folder.path.string(), answers);
    mallopt(M_PERTURB, poison == Poison::nan ? 0xa5 : 0x5a);
    code = kernel.run(&view.get());
    mallopt(M_PERTURB, 0);
  }
  if (const std::optional<std::string> why = out_of_bounds(buffers)) return {"rejected", *why};
  if (code != 0) return {"failed", error_of(kernel, "run returned " + std::to_string(code))};
  if (const std::optional<std::string> why = modified_input(buffers, inputs)) return {"rejected", *why};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::span<std::byte> bytes = buffers[inputs.size() + i].bytes();
    std::copy(bytes.begin(), bytes.end(), outputs[i].bytes().begin());
    write_stored(folder, folder.outputs[i], outputs[i]);
  }
  return {};
}

Answer guarded_run(const std::string& library, const std::string& path, Poison poison, int answers) {
  try {
    return run_case(load_library(library), read_case_folder(path), poison, answers);
  } catch (const std::exception& error) {
    return {"failed", error.what()};
  }
}

void send(int answers, const std::string& path, const Answer& answer) {
  std::string line = answer.word + " " + path + (answer.why.empty() ? "" : " " + answer.why);
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  if (write(answers, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
}

// Whoever started the worker holds the other end of its stdin. When that is closed, a kernel that still runs will not
// be waited for by anybody. (PR_SET_PDEATHSIG would fire when the thread that started it ends, which is too early.)
void end_with_parent() {
  pollfd input{STDIN_FILENO, 0, 0};  // hang-up is reported unasked
  while (poll(&input, 1, -1) < 0) {
  }
  std::this_thread::sleep_for(std::chrono::seconds(5));
  kill(0, SIGKILL);
}

}  // namespace

int run_worker(const std::string& library) {
  std::thread(end_with_parent).detach();
  // No core file is left, and what the plug-in prints is no answer.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (answers < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) no_verdict_error("the worker has no stdout");
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) usage_error(std::string(worker_command) + " is for fusecheck itself");
    const std::string path = line.substr(blank + 1);
    const Poison poison = line.starts_with("nan ") ? Poison::nan : Poison::number;
    send(answers, path, guarded_run(library, path, poison, answers));
  }
  return 0;
}

}  // namespace fusecheck::plugin
