#include "plugin/guarded_buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "fusecheck/error.hpp"

namespace fusecheck::plugin {
namespace {

// A row of a large tensor, an off-by-one in a block: within the first; a wrong stride: within the second.
constexpr std::size_t guard_size = 64 * 1024;
constexpr std::size_t forbidden_size = 1024 * 1024;
constexpr std::size_t page = 64 * 1024;  // a multiple of every page size
constexpr std::size_t alignment = 64;

std::size_t rounded_up(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

}  // namespace

GuardedBuffer::GuardedBuffer(std::string name, std::size_t size, std::byte guard)
    : name_(std::move(name)), guard_(guard), size_(size) {
  const std::size_t open = rounded_up(guard_size + rounded_up(size, alignment) + guard_size, page);
  mapped_ = forbidden_size + open + forbidden_size;
  void* const mapping = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) no_verdict_error("no memory for " + name_ + " (" + std::to_string(size) + " bytes)");
  mapping_ = static_cast<std::byte*>(mapping);
  std::byte* const zone = mapping_ + forbidden_size;
  if (mprotect(zone, open, PROT_READ | PROT_WRITE) != 0) no_verdict_error("no memory for " + name_);
  data_ = zone + open - guard_size - rounded_up(size, alignment);
  before_ = {zone, static_cast<std::size_t>(data_ - zone)};
  after_ = {data_ + size, static_cast<std::size_t>(zone + open - (data_ + size))};
  std::fill(before_.begin(), before_.end(), guard_);
  std::fill(after_.begin(), after_.end(), guard_);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : name_(std::move(other.name_)),
      guard_(other.guard_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      size_(other.size_),
      before_(other.before_),
      after_(other.after_) {}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

std::optional<std::string> GuardedBuffer::damage() const {
  const auto changed = [&](std::byte value) { return value != guard_; };
  const auto count_after = std::count_if(after_.begin(), after_.end(), changed);
  if (count_after > 0) {
    const auto last = std::find_if(after_.rbegin(), after_.rend(), changed);
    const auto distance = after_.rend() - last;  // from the end of the tensor, 1 for the first byte after it
    return std::to_string(count_after) + " bytes after the end of " + name_ + ", as far as byte +" +
           std::to_string(distance);
  }
  const auto count_before = std::count_if(before_.begin(), before_.end(), changed);
  if (count_before == 0) return std::nullopt;
  const auto first = std::find_if(before_.begin(), before_.end(), changed);
  return std::to_string(count_before) + " bytes before the start of " + name_ + ", as far as byte -" +
         std::to_string(before_.end() - first);
}

}  // namespace fusecheck::plugin
