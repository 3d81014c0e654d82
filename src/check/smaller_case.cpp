#include "check/smaller_case.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "fusecheck/error.hpp"
#include "run/context.hpp"

namespace fusecheck {
namespace {

CaseSpec cut(const CaseSpec& spec, std::int64_t most, bool& any) {
  CaseSpec smaller = spec;
  std::set<double> lengths;
  for (auto& [name, shape] : smaller.shapes) {
    for (std::int64_t& length : shape) {
      if (length <= most) continue;
      lengths.insert(static_cast<double>(length));
      length = most;
    }
  }
  for (const auto& [name, values] : spec.attrs.all()) {
    std::vector<double> own = values;
    for (double& value : own) {
      if (lengths.contains(value)) value = static_cast<double>(most);
    }
    smaller.attrs.set(name, std::move(own));
  }
  any = !lengths.empty();
  return smaller;
}

bool accepted(const CaseSpec& spec) {
  try {
    run::make_context(spec);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return false;
  }
}

}  // namespace

std::optional<CaseSpec> smaller_case(const CaseSpec& spec) {
  for (const std::int64_t most : {16, 32, 64}) {
    bool any = false;
    CaseSpec smaller = cut(spec, most, any);
    if (!any) return {};
    if (accepted(smaller)) return smaller;
  }
  return {};
}

}  // namespace fusecheck
