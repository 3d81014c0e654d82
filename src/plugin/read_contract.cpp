// From kernel.yaml to a Contract.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "check/case_info.hpp"
#include "fusecheck/error.hpp"
#include "plugin/arguments.hpp"
#include "plugin/contract.hpp"
#include "suite/fields.hpp"
#include "suite/rules.hpp"
#include "suite/schema.hpp"

namespace fusecheck::plugin {
namespace {

namespace fs = std::filesystem;
using suite::YamlNode;

constexpr std::size_t largest_file = std::size_t{1} << 20;  // bytes

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = {"version", "name",   "op",         "body",    "dtype",   "direction",
                                                "recipe",  "round",  "model",      "saved",   "outputs", "tensors",
                                                "exec",    "plugin", "exec_batch", "timeout", "repeat",  "targets"};
  return keys;
}

// One value, or a list of values.
std::vector<std::string> texts(const std::string& source, const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::scalar) return {node.text};
  std::vector<std::string> list;
  for (const YamlNode& item : suite::require_list(source, node, what)) {
    list.push_back(suite::require_text(source, item, what));
  }
  return list;
}

class Reader {
 public:
  Reader(const std::string& source, const YamlNode& root, Contract& contract)
      : source_(source), root_(root), contract_(contract) {}

  void read() {
    suite::require_map(source_, root_, "a kernel's contract", known_keys());
    const YamlNode& version = suite::require(source_, root_, "version", "a kernel's contract");
    if (suite::require_text(source_, version, "version") != "1") {
      suite::refuse_at(source_, version,
                       "version " + base::quoted(version.text) + " is not read here; this is version 1");
    }
    read_text("name", contract_.name);
    read_case();
    read_list("saved", contract_.saved);
    read_list("outputs", contract_.outputs);
    read_tensors();
    read_command();
    Suite targets;  // the same keys as in a suite
    suite::read_targets(source_, suite::find(root_, "targets"), targets);
    contract_.targets = std::move(targets.targets);
  }

 private:
  void read_text(const std::string& key, std::string& value) {
    if (const YamlNode* node = suite::find(root_, key)) value = suite::require_text(source_, *node, key);
  }

  void read_list(const std::string& key, std::vector<std::string>& list) {
    if (const YamlNode* node = suite::find(root_, key)) list = texts(source_, *node, key);
  }

  // Fields of a case, with the words of a suite.
  void read_case() {
    CaseSpec spec;
    for (const std::string key : {"op", "direction", "recipe", "model"}) {
      const YamlNode* node = suite::find(root_, key);
      if (node == nullptr) continue;
      const std::string& text = suite::require_text(source_, *node, key);
      suite::located(source_, *node, [&] { suite::set_field(spec, key, text); });
      if (key == "direction") contract_.direction = spec.passes;
      if (key == "model") contract_.model = text;
    }
    contract_.op = spec.op;
    read_body();
    contract_.recipe = spec.recipe;
    if (const YamlNode* node = suite::find(root_, "dtype")) {
      for (const std::string& text : texts(source_, *node, "dtype")) {
        contract_.dtypes.push_back(suite::located(source_, *node, [&] { return parse_dtype(text); }));
      }
    }
    const YamlNode* rounds = suite::find(root_, "round");
    if (rounds == nullptr) return;
    if (rounds->kind != YamlNode::Kind::map) {
      suite::refuse_at(source_, *rounds, "round must be a map, as in 'round: {conv: f16}'");
    }
    for (const auto& [point, rule] : rounds->entries) {
      const std::string& text = suite::require_text(source_, rule, "round");
      suite::located(source_, rule, [&, &name = point.text] { suite::set_field(spec, "round", name + ":" + text); });
    }
    contract_.rounds = spec.rounds;
  }

  // Text, or a file beside the contract.
  void read_body() {
    const YamlNode* node = suite::find(root_, "body");
    if (node == nullptr) return;
    if (!contract_.op.empty())
      suite::refuse_at(source_, *node, "op names an op, body writes one down; give one of them");
    const std::string& text = suite::require_text(source_, *node, "body");
    const std::string file = beside(text);
    std::error_code ignored;
    const bool is_file = fs::is_regular_file(file, ignored);
    contract_.body = suite::located(source_, *node, [&] { return canonical_body(is_file ? file : text); });
    contract_.op = "body";
  }

  void read_tensors() {
    const YamlNode* map = suite::find(root_, "tensors");
    if (map == nullptr) return;
    if (map->kind != YamlNode::Kind::map) {
      suite::refuse_at(source_, *map, "tensors must be a map from a tensor's name to file, dtype, layout");
    }
    for (const auto& [tensor, node] : map->entries) {
      suite::require_map(source_, node, "tensor " + tensor.text, {"file", "dtype", "layout"});
      FileRule rule;
      if (const YamlNode* file = suite::find(node, "file")) rule.file = read_file_name(*file);
      if (const YamlNode* layout = suite::find(node, "layout")) {
        const std::string& text = suite::require_text(source_, *layout, "layout");
        rule.layout = suite::located(source_, *layout, [&] { return tensor::parse_layout(text); });
      }
      if (const YamlNode* dtype = suite::find(node, "dtype")) {
        const std::string& text = suite::require_text(source_, *dtype, "dtype");
        contract_.tensor_dtypes[tensor.text] = suite::located(source_, *dtype, [&] { return parse_dtype(text); });
      }
      contract_.files[tensor.text] = rule;
    }
  }

  // Below the case's folder, and a format that is known by its ending.
  std::string read_file_name(const YamlNode& node) {
    const fs::path path = suite::require_text(source_, node, "file");
    const bool below = path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
    if (!below)
      suite::refuse_at(source_, node, "file " + base::quoted(node.text) + " must lie below the case's folder");
    if (path.extension() != ".npy" && path.extension() != ".bin") {
      suite::refuse_at(source_, node, "file " + base::quoted(node.text) + " must end in .npy or .bin");
    }
    for (const auto& [tensor, rule] : contract_.files) {
      if (rule.file == path.string()) {
        suite::refuse_at(source_, node, "file " + base::quoted(node.text) + " is already that of " + tensor);
      }
    }
    return path.string();
  }

  void read_command() {
    read_text("exec", contract_.exec);
    read_text("exec_batch", contract_.exec_batch);
    read_text("plugin", contract_.plugin);
    std::vector<std::string> given;
    for (const char* key : {"exec", "exec_batch", "plugin"}) {
      if (suite::find(root_, key) != nullptr) given.emplace_back(key);
    }
    if (given.size() > 1) {
      suite::refuse_at(source_, root_, base::join(given, ", ") + " exclude each other: one of them runs the kernel");
    }
    if (!contract_.plugin.empty()) contract_.plugin = beside(contract_.plugin);
    for (std::string* command : {&contract_.exec, &contract_.exec_batch}) {
      if (!command->empty()) {
        const YamlNode& node = *suite::find(root_, given[0]);
        suite::located(source_, node, [&] { split_command(*command, given[0]); });
      }
    }
    if (const YamlNode* node = suite::find(root_, "timeout")) {
      contract_.timeout = suite::require_number(source_, *node, "timeout");
      if (!(*contract_.timeout > 0)) suite::refuse_at(source_, *node, "timeout must be more than 0 seconds");
    }
    if (const YamlNode* node = suite::find(root_, "repeat")) {
      const double value = suite::require_number(source_, *node, "repeat");
      if (value < 1 || value > 1000 || value != std::floor(value)) {
        suite::refuse_at(source_, *node, "repeat " + node->text + " is no whole number from 1 to 1000");
      }
      contract_.repeat = static_cast<int>(value);
    }
  }

  std::string beside(const std::string& path) const {
    return (fs::path(source_).parent_path() / path).lexically_normal().string();
  }

  const std::string& source_;
  const YamlNode& root_;
  Contract& contract_;
};

void apply_target(Contract& contract, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const SuiteTarget& target : contract.targets) {
    names.push_back(target.name);
    if (target.name != name) continue;
    if (!target.model.empty()) contract.model = target.model;
    if (!target.recipe.empty()) contract.recipe = target.recipe;
    return;
  }
  usage_error("--target " + base::quoted(name) + " is no target of " + base::quoted(contract.source) +
              (names.empty() ? "; it has none" : "; there are " + base::join(names, ", ")) + base::hint(name, names));
}

std::string digest(const Contract& contract) {
  std::string text = "fusecheck.kernel/1\nop " + contract.op + "\nbody " + contract.body + "\n";
  for (const DType dtype : contract.dtypes) text += "dtype " + std::string(name_of(dtype)) + "\n";
  if (contract.direction) text += "direction " + std::to_string(static_cast<int>(*contract.direction)) + "\n";
  text += "recipe " + contract.recipe + "\nmodel " + contract.model + "\n";
  for (const auto& [point, rule] : contract.rounds) text += "round " + point + " " + rule + "\n";
  for (const std::string& name : contract.saved) text += "saved " + name + "\n";
  for (const std::string& name : contract.outputs) text += "output " + name + "\n";
  for (const auto& [name, dtype] : contract.tensor_dtypes) {
    text += "tensor " + name + " " + std::string(name_of(dtype)) + "\n";
  }
  for (const auto& [name, rule] : contract.files) text += "layout " + name + " " + tensor::to_text(rule.layout) + "\n";
  return base::sha256_hex(std::as_bytes(std::span(text)));
}

}  // namespace

Contract parse_contract(std::string_view text, const std::string& source, const std::string& target) {
  const suite::YamlFile file = suite::parse_yaml(text, source);
  Contract contract;
  contract.source = source;
  contract.name = fs::path(source).stem().string();
  Reader(file.source, file.root, contract).read();
  apply_target(contract, target);
  contract.sha256 = digest(contract);
  return contract;
}

Contract read_contract(const std::string& path, const std::string& target) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || fs::is_directory(path)) no_verdict_error("--kernel " + base::quoted_path(path) + ": no such file");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (text.starts_with("version https://git-lfs")) {
    usage_error("--kernel " + base::quoted_path(path) + " is a Git LFS pointer; fetch the file with 'git lfs pull'");
  }
  if (text.size() > largest_file) usage_error("--kernel " + base::quoted_path(path) + " is larger than 1 MiB");
  return parse_contract(text, path, target);
}

}  // namespace fusecheck::plugin
