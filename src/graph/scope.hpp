// The names of one body's text, and the rules of their use. Refusals name the place.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "graph/lexer.hpp"

namespace fusecheck::graph {

class Scope {
 public:
  explicit Scope(std::string_view text) : text_(text) {}
  void use(const Token& name) { used_.emplace(name.text, name.position); }
  // `further`: behind the first result of a statement; such a result may stay unused.
  void define(const Token& name, bool further);
  // At the end of the text: every name set is used, but for the output; no name is that of a gradient.
  void close() const;
  // t1, t2 ...: the next that nothing else is called.
  std::string fresh();

 private:
  bool in_use(const std::string& name) const { return used_.contains(name) || defined_.contains(name); }

  std::string_view text_;
  std::map<std::string, std::size_t, std::less<>> defined_, used_;  // name -> where first
  std::set<std::string, std::less<>> further_;
  std::string last_;
  int count_ = 0;
};

}  // namespace fusecheck::graph
