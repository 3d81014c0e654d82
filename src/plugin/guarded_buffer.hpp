// Memory for one tensor of a plug-in, with zones on both sides that show who goes beyond it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fusecheck::plugin {

// From low to high addresses: no access | guard bytes | the tensor | guard bytes | no access. A stray write near the
// tensor changes a guard byte, one further away ends the process with an address that says which tensor it was meant
// for.
class GuardedBuffer {
 public:
  // `name` for messages; `guard`: the byte in the zones. No-verdict error where there is no memory.
  GuardedBuffer(std::string name, std::size_t size, std::byte guard);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;

  std::span<std::byte> bytes() const { return {data_, size_}; }
  const std::string& name() const { return name_; }
  // "24 bytes after the end of y, the furthest at +31" where a guard byte has changed.
  std::optional<std::string> damage() const;
  // The whole reservation, zones included.
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(mapping_); }
  std::uintptr_t end() const { return begin() + mapped_; }

 private:
  std::string name_;
  std::byte guard_;
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;  // aligned to 64
  std::size_t size_ = 0;
  std::span<std::byte> before_, after_;
};

}  // namespace fusecheck::plugin
