#include "check/memory_limit.hpp"

#include <unistd.h>

#include <cmath>
#include <string>

#include "fusecheck/error.hpp"

namespace fusecheck {
namespace {

// Measured on ConvBnRelu of 0.2 to 6.4 million elements of x: 110 to 130 bytes for each element of all tensors.
constexpr double bytes_per_element = 100;

std::string gigabytes(double bytes) { return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / 1e9))); }

}  // namespace

void require_memory(const Shapes& shapes) {
  double elements = 0;
  for (const auto& [name, shape] : shapes) elements += static_cast<double>(element_count(shape));
  const double here = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double needed = elements * bytes_per_element;
  if (needed <= here) return;
  no_verdict_error("the case needs about " + gigabytes(needed) + " GB, this machine has " + gigabytes(here) +
                   " GB; use a smaller --shape");
}

}  // namespace fusecheck
