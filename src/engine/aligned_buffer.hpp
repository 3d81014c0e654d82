// Memory aligned to a cache line, which is also the widest vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace fusecheck::engine {

template <class T>
class AlignedBuffer {
 public:
  static constexpr std::align_val_t kAlignment{64};
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::int64_t size)  // not initialised
      : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), kAlignment))), size_(size) {}
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, kAlignment); }
  };
  std::unique_ptr<T, Free> data_;
  std::int64_t size_ = 0;
};

}  // namespace fusecheck::engine
