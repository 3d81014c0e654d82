// fusecheck list ops|models|tols|recipes|suites, fusecheck list ops --markdown, fusecheck list cases SUITE
#include <algorithm>

#include "base/text.hpp"
#include "check/op_reference.hpp"
#include "cli/commands.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/judge.hpp"
#include "fusecheck/numeric_model.hpp"
#include "fusecheck/registry.hpp"
#include "fusecheck/suite.hpp"
#include "report/format.hpp"

namespace fusecheck::cli {
namespace {

using report::Table;
using enum report::Align;

std::string list_ops() {
  Table table({"op", "formula", "also called"}, {left, left, left});
  for (const OpDef& op : all_ops()) table.add({op.name, op.formula, report::joined(op.aliases, " ")});
  return table.text("");
}

std::string list_models() {
  std::string text;
  for (const ModelDescription& model : fusecheck::list_models()) text += model.name + "\n    " + model.doc + "\n";
  return text;
}

std::string list_tols() {
  std::string text;
  for (const ToleranceDescription& one : list_tolerances()) {
    text += one.name + "\n    " + one.rule + "\n    source: " + one.source + "\n";
  }
  return text;
}

std::string list_recipes() {
  Table table({"op", "recipe", "mode", "how it computes"}, {left, left, left, left});
  for (const OpDef& op : all_ops()) {
    if (!op.fused()) continue;
    const bool has_modes =
        std::any_of(op.recipes.begin(), op.recipes.end(), [](const Recipe& recipe) { return recipe.training; });
    for (const Recipe& recipe : op.recipes) {
      const std::string mode = !has_modes ? "" : recipe.training ? "train" : "infer";
      table.add({op.name, recipe.name + (recipe.lossy ? " (lossy)" : ""), mode, recipe.doc});
    }
    table.add({op.name, "unfused", "", "the body, every edge rounded to storage"});
  }
  return table.text("");
}

std::string list_suites() {
  Table table({"suite", "cases"}, {left, right});
  for (const std::string& name : shipped_suites()) {
    table.add({name, report::grouped(static_cast<std::int64_t>(read_suite(name).cases.size()))});
  }
  return table.text("");
}

std::string list_cases(const std::string& suite) {
  std::string text;
  for (const SuiteCase& one : read_suite(suite).cases) text += one.id + "\n";
  return text;
}

}  // namespace

std::string list(const Words& words) {
  const std::vector<std::string> topics = {"ops", "models", "tols", "recipes", "suites", "cases"};
  if (words.size() == 2 && words[0] == "cases") return list_cases(words[1]);
  if (words == Words{"ops", "--markdown"}) return op_reference();
  if (words.size() == 1 && words[0] == "cases")
    usage_error("list cases takes a suite: a file, or one of 'list suites'");
  if (words.size() != 1) usage_error("list takes one word: ops, models, tols, recipes or suites");
  if (words[0] == "ops") return list_ops();
  if (words[0] == "models") return list_models();
  if (words[0] == "tols") return list_tols();
  if (words[0] == "recipes") return list_recipes();
  if (words[0] == "suites") return list_suites();
  usage_error("there is no list of " + base::quoted(words[0]) + "; there are ops, models, tols, recipes and suites" +
              base::hint(words[0], topics));
}

}  // namespace fusecheck::cli
