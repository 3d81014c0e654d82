// What a contract means for a case.
#include "plugin/contract.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace fusecheck::plugin {
namespace {

std::string text_of(Passes passes) {
  if (passes == Passes::forward) return "forward";
  return passes == Passes::backward ? "backward" : "forward and backward";
}

std::string names_of(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(name_of(dtype));
  return base::join(names, ", ");
}

std::optional<std::string> differing_types(const Contract& contract, const CaseSpec& spec) {
  const auto& types = contract.dtypes;
  if (!types.empty() && std::find(types.begin(), types.end(), spec.dtype) == types.end()) {
    return "for " + names_of(types) + ", the case is " + std::string(name_of(spec.dtype));
  }
  for (const auto& [tensor, dtype] : contract.tensor_dtypes) {
    const auto found = spec.tensor_dtypes.find(tensor);
    if (found == spec.tensor_dtypes.end() || found->second == dtype) continue;
    return "for " + tensor + " in " + std::string(name_of(dtype)) + ", the case has it in " +
           std::string(name_of(found->second));
  }
  return std::nullopt;
}

std::optional<std::string> differing_schedule(const Contract& contract, const CaseSpec& spec) {
  const bool any = spec.recipe.empty() || spec.recipe == "any";
  if (!contract.recipe.empty() && !any && spec.recipe != contract.recipe) {
    return "computed by recipe " + contract.recipe + ", the case asks for " + spec.recipe;
  }
  for (const auto& [point, rule] : contract.rounds) {
    const auto found = spec.rounds.find(point);
    if (found == spec.rounds.end() || found->second == rule) continue;
    return "computed with " + point + " rounded by " + rule + ", the case asks for " + found->second;
  }
  if (!contract.model.empty() && spec.model_given && !(spec.model == parse_model(contract.model))) {
    return "computed by model " + contract.model + ", the case asks for " + to_text(spec.model);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> mismatch(const Contract& contract, const CaseSpec& spec) {
  std::optional<std::string> why;
  if (!contract.op.empty() && contract.op != spec.op) {
    why = "for " + contract.op + ", the case is " + spec.op;
  } else if (contract.body != spec.body && !contract.op.empty()) {
    why = "for the body " + base::quoted(contract.body) + ", the case is " + base::quoted(spec.body);
  } else if (contract.direction && spec.passes != Passes::both && spec.passes != *contract.direction) {
    why = text_of(*contract.direction) + ", the case is " + text_of(spec.passes);
  } else {
    why = differing_types(contract, spec);
    if (!why) why = differing_schedule(contract, spec);
  }
  if (!why) return std::nullopt;
  return "kernel " + base::quoted(contract.name) + " is " + *why;
}

void declare(const Contract& contract, CaseSpec& spec) {
  if (mismatch(contract, spec)) return;
  if (contract.direction) spec.passes = *contract.direction;
  for (const auto& [tensor, dtype] : contract.tensor_dtypes) spec.tensor_dtypes[tensor] = dtype;
  if (!contract.recipe.empty()) spec.recipe = contract.recipe;
  for (const auto& [point, rule] : contract.rounds) spec.rounds[point] = rule;
  if (!contract.model.empty() && !spec.model_given) {
    spec.model = parse_model(contract.model);
    spec.model_given = true;
  }
}

}  // namespace fusecheck::plugin
