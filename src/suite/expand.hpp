// From the parts of a suite that make cases to cases.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "suite/yaml.hpp"

namespace fusecheck::suite {

// A case, and where in the file it comes from.
struct PlacedCase {
  CaseSpec spec;
  const YamlNode* place = nullptr;
};

// More than a suite can mean; a mistyped axis multiplies quickly.
inline constexpr std::size_t most_cases = 2'000'000;

// The fields that every matrix and every map of `cases` starts from; `defaults` may be null.
CaseSpec read_defaults(const std::string& source, const YamlNode* defaults);

// One entry of `matrix`: the product of its axes, the first written varying slowest, without the combinations that
// `where` does not keep or `exclude` drops. Usage error with the place: see docs/suites.md.
// Each goes to `add` as soon as it is made: there may be a hundred thousand.
void expand_matrix(const std::string& source, const YamlNode& node, const CaseSpec& defaults,
                   const std::function<void(PlacedCase)>& add);

// One entry of `cases`: a case line, for which `defaults` do not count, or a map of fields.
PlacedCase read_case(const std::string& source, const YamlNode& node, const CaseSpec& defaults);

}  // namespace fusecheck::suite
