#include "fusecheck/registry.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "graph/manifest.hpp"

namespace fusecheck {

std::span<const OpDef> all_ops() {
  static const std::vector<OpDef> ops = [] {
    std::vector<OpDef> list = op_manifest();
    std::sort(list.begin(), list.end(), [](const OpDef& a, const OpDef& b) { return a.name < b.name; });
    return list;
  }();
  return ops;
}

const OpDef& find_op(std::string_view name) {
  for (const OpDef& op : all_ops()) {
    if (op.name == name || std::find(op.aliases.begin(), op.aliases.end(), name) != op.aliases.end()) return op;
  }
  std::vector<std::string> known;
  for (const OpDef& op : all_ops()) {
    known.push_back(op.name);
    known.insert(known.end(), op.aliases.begin(), op.aliases.end());
  }
  usage_error("unknown op " + base::quoted(name) + "; 'fusecheck list ops' shows all" + base::hint(name, known));
}

}  // namespace fusecheck
