#include "fusecheck/error.hpp"
#include "fusecheck/op.hpp"

namespace fusecheck {

const Value& Io::operator[](std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    internal_error("a kernel asked for tensor '" + std::string(name) + "', which is not bound");
  return found->second;
}

Value Io::out(const std::string& name, const Value& value) {
  const Value stored = storing_ == Storing::now ? kernel_.store(name, value) : value;
  outputs_[name] = stored;
  values_[name] = stored;
  return stored;
}

Value Io::save(const std::string& name, const Value& value) {
  const auto supplied = supplied_.find(name);
  const Value kept = supplied != supplied_.end() ? supplied->second
                     : storing_ == Storing::now  ? kernel_.store(name, value)
                                                 : value;
  saved_[name] = kept;
  values_[name] = kept;
  return kept;
}

}  // namespace fusecheck
