// The only user of yaml-cpp, of its event parser: its tree drops the first of two equal keys without a word.
#include "suite/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::suite {
namespace {

constexpr std::size_t deepest = 64;  // levels; suites need six

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string source) : source_(std::move(source)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second document begins; one file holds one suite, remove the '---'");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "a value is missing, or a bracket is not closed");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "an alias ('*name') is not read here; write the value again");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = begin(YamlNode::Kind::scalar, mark, tag, anchor);
    if (value.empty()) refuse(mark, "a value is empty; write it, or remove the key");
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(begin(YamlNode::Kind::list, mark, tag, anchor));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(begin(YamlNode::Kind::map, mark, tag, anchor));
  }
  void OnMapEnd() override { close(); }

  YamlNode take() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    std::unique_ptr<YamlNode> key;  // of a map: the key whose value comes next
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    YamlNode place;
    place.line = mark.line + 1;
    place.column = mark.column + 1;
    refuse_at(source_, place, message);
  }

  // yaml-cpp gives "?" as the tag of a plain value and "!" of a quoted one.
  YamlNode begin(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse(mark, "anchors ('&name') are not read here; write the value where it is used");
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, "tags (" + base::quoted(tag) + ") are not read here; remove it");
    }
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void open(YamlNode node) {
    if (open_.size() >= deepest) refuse_at(source_, node, "more than 64 levels of nesting");
    if (!open_.empty()) require_value_place(node);
    open_.push_back({std::move(node), nullptr});
  }

  void require_value_place(const YamlNode& node) const {
    const Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::map && parent.key == nullptr) {
      refuse_at(source_, node, "a key must be a plain word");
    }
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.key == nullptr) {
      require_new_key(parent.node, node);
      parent.key = std::make_unique<YamlNode>(std::move(node));
    } else {
      parent.node.entries.emplace_back(std::move(*parent.key), std::move(node));
      parent.key = nullptr;
    }
  }

  void require_new_key(const YamlNode& map, const YamlNode& key) const {
    if (key.text == "<<") refuse_at(source_, key, "merge keys ('<<') are not read here; write the keys out");
    for (const auto& [earlier, value] : map.entries) {
      if (earlier.text == key.text) {
        refuse_at(
            source_, key,
            "key " + base::quoted(key.text) + " stands here twice, first in line " + std::to_string(earlier.line));
      }
    }
  }

  std::string source_;
  int documents_ = 0;
  std::vector<Open> open_;
  YamlNode root_;
};

}  // namespace

void refuse_at(const std::string& source, const YamlNode& node, const std::string& message) {
  usage_error(source + ":" + std::to_string(node.line) + ":" + std::to_string(node.column) + ": " + message);
}

YamlFile parse_yaml(std::string_view text, const std::string& source) {
  TreeBuilder builder(source);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      refuse_at(source, {}, "the file is empty; a suite begins with 'version: 1'");
    }
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    YamlNode place;
    place.line = std::max(error.mark.line, 0) + 1;
    place.column = std::max(error.mark.column, 0) + 1;
    std::string why = error.msg;  // may quote any byte of the file
    std::replace_if(
        why.begin(), why.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    refuse_at(source, place, "not YAML: " + why);
  }
  return {source, builder.take()};
}

}  // namespace fusecheck::suite
