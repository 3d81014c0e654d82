// Threads that share work.
#pragma once

#include <cstdint>
#include <functional>

namespace fusecheck::engine {

// Calls work(begin, end) on disjoint ranges that cover [0, count), on at most `threads` threads, the calling one
// included; one thread starts none and makes one call. More threads take ranges in turn, so that one which starts late
// or is interrupted holds up no other: which thread does what may vary, what is done does not. Every thread checks its
// floating-point environment first. The first exception is thrown again here. The other threads are kept for the next
// call; a call that comes while another one has them does all by itself.
void share(std::int64_t count, int threads, const std::function<void(std::int64_t, std::int64_t)>& work);

}  // namespace fusecheck::engine
