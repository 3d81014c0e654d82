#include "graph/scope.hpp"

#include "base/text.hpp"

namespace fusecheck::graph {

void Scope::define(const Token& name, bool further) {
  if (defined_.contains(name.text)) {
    refuse(text_, name.position, base::quoted(name.text) + " is set twice; take another name");
  }
  const auto used = used_.find(name.text);
  if (used != used_.end()) {
    refuse(text_, used->second,
           base::quoted(name.text) + " is used here and set later: statements run in order, without cycles");
  }
  defined_.emplace(name.text, name.position);
  if (further) {
    further_.insert(name.text);
  } else {
    last_ = name.text;
  }
}

void Scope::close() const {
  for (const auto& [name, position] : defined_) {
    if (used_.contains(name) || name == last_ || further_.contains(name)) continue;
    refuse(text_, position, base::quoted(name) + " is set and never used: only the last statement is an output");
  }
  for (const auto* names : {&used_, &defined_}) {
    for (const auto& [name, position] : *names) {
      if (!in_use("d" + name)) continue;
      refuse(text_, position,
             base::quoted("d" + name) + " is what the gradient of " + base::quoted(name) +
                 " is called; take another name for one of them");
    }
  }
}

std::string Scope::fresh() {
  std::string name;
  do name = "t" + std::to_string(++count_);
  while (in_use(name) || in_use("d" + name));
  return name;
}

}  // namespace fusecheck::graph
