#include "suite/expand.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "check/case_info.hpp"
#include "fusecheck/registry.hpp"
#include "suite/fields.hpp"
#include "suite/matcher.hpp"
#include "suite/schema.hpp"

namespace fusecheck::suite {
namespace {

struct Axis {
  std::string field;
  std::vector<const YamlNode*> values;
};

void set_at(const std::string& source, const YamlNode& node, CaseSpec& spec, const std::string& field) {
  const std::string& text = require_text(source, node, field);
  located(source, node, [&] { set_field(spec, field, text); });
}

// A list of data sets is written as YAML writes lists wherever it cannot be an axis.
void set_one(const std::string& source, const YamlNode& node, CaseSpec& spec, const std::string& field) {
  if (field != "data" || node.kind != YamlNode::Kind::list) return set_at(source, node, spec, field);
  std::string sets;
  for (const YamlNode& item : require_list(source, node, field)) {
    sets += (sets.empty() ? "" : "+") + require_text(source, item, field);
  }
  located(source, node, [&] { set_field(spec, field, sets); });
}

std::vector<Axis> read_axes(const std::string& source, const YamlNode& node) {
  std::vector<Axis> axes;
  std::size_t product = 1;
  for (const auto& [key, value] : node.entries) {
    if (key.text == "where" || key.text == "exclude") continue;
    Axis axis{key.text, {}};
    if (value.kind == YamlNode::Kind::list) {
      for (const YamlNode& item : require_list(source, value, key.text)) axis.values.push_back(&item);
    } else {
      axis.values.push_back(&value);
    }
    product *= axis.values.size();
    if (product > most_cases) {
      refuse_at(source, node, "the matrix has over " + std::to_string(most_cases) + " combinations; split it");
    }
    axes.push_back(std::move(axis));
  }
  if (axes.empty()) refuse_at(source, node, "the matrix has no axis, as in 'dtype: [f16, bf16]'");
  return axes;
}

std::vector<Matcher> read_constraints(const std::string& source, const YamlNode& matrix, const std::string& key) {
  std::vector<Matcher> matchers;
  const YamlNode* list = find(matrix, key);
  if (list == nullptr) return matchers;
  for (const YamlNode& item : require_list(source, *list, key)) matchers.push_back(read_matcher(source, item, key));
  return matchers;
}

// What an attribute is when nobody names it: constraints see the value that the case will have.
CaseSpec with_complete_attrs(const CaseSpec& spec) {
  CaseSpec complete = spec;
  complete.attrs = case_info(spec).attrs;
  return complete;
}

void require_op(const std::string& source, const YamlNode& node, const CaseSpec& spec) {
  if (spec.op.empty()) refuse_at(source, node, "the case names no op, as in 'op: ConvBnRelu'");
}

}  // namespace

CaseSpec read_defaults(const std::string& source, const YamlNode* defaults) {
  CaseSpec spec;
  if (defaults == nullptr) return spec;
  require_map(source, *defaults, "defaults", field_names());
  for (const auto& [key, value] : defaults->entries) set_one(source, value, spec, key.text);
  return spec;
}

void expand_matrix(const std::string& source, const YamlNode& node, const CaseSpec& defaults,
                   const std::function<void(PlacedCase)>& add) {
  std::vector<std::string> keys = field_names();
  keys.insert(keys.end(), {"where", "exclude"});
  require_map(source, node, "matrix", keys);
  const std::vector<Axis> axes = read_axes(source, node);
  const std::vector<Matcher> where = read_constraints(source, node, "where");
  const std::vector<Matcher> exclude = read_constraints(source, node, "exclude");
  bool any_kept = false;
  std::vector<std::size_t> at(axes.size(), 0);
  for (bool more = true; more;) {
    CaseSpec spec = defaults;
    for (std::size_t i = 0; i < axes.size(); ++i) set_at(source, *axes[i].values[at[i]], spec, axes[i].field);
    require_op(source, node, spec);
    bool kept = true;
    if (!where.empty() || !exclude.empty()) {
      const std::string id = to_line(spec);
      // A combination that is only there to be excluded need not fit together: its attributes then stay as written.
      const auto any = [&](const std::vector<Matcher>& list, const CaseSpec& as) {
        return std::any_of(list.begin(), list.end(), [&](const Matcher& m) { return matches(m, as, id); });
      };
      kept = !any(exclude, spec);
      if (kept) {
        const CaseSpec complete = located(source, node, [&] { return with_complete_attrs(spec); });
        kept = !any(exclude, complete) && (where.empty() || any(where, complete));
      }
    }
    if (kept) add({std::move(spec), &node});
    any_kept = any_kept || kept;
    more = false;
    for (std::size_t i = axes.size(); i-- > 0 && !more;) {
      at[i] = at[i] + 1 == axes[i].values.size() ? 0 : at[i] + 1;
      more = at[i] != 0;
    }
  }
  if (!any_kept) refuse_at(source, node, "the matrix keeps no combination; look at 'where' and 'exclude'");
}

PlacedCase read_case(const std::string& source, const YamlNode& node, const CaseSpec& defaults) {
  if (node.kind == YamlNode::Kind::scalar) {
    return {located(source, node,
                    [&] {
                      CaseSpec spec = parse_case(node.text);
                      if (spec.body.empty()) spec.op = find_op(spec.op).name;
                      return spec;
                    }),
            &node};
  }
  require_map(source, node, "case", field_names());
  CaseSpec spec = defaults;
  for (const auto& [key, value] : node.entries) set_one(source, value, spec, key.text);
  require_op(source, node, spec);
  return {std::move(spec), &node};
}

}  // namespace fusecheck::suite
