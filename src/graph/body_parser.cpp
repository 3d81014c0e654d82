// Text to nodes, by recursive descent. The grammar is in body.hpp.
#include <algorithm>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "graph/body.hpp"
#include "graph/lexer.hpp"
#include "graph/naming.hpp"
#include "graph/scope.hpp"
#include "graph/vocabulary.hpp"

namespace fusecheck::graph {
namespace {

using Kind = Token::Kind;

// What an expression gives: a tensor by name, the result of a node, or a number.
struct Operand {
  std::string name;
  std::size_t node = 0;  // where the name is empty and there is no number
  std::optional<double> number;
};

struct Draft {
  Node node;  // its arguments and, inside an expression, its result come last: the names in use are known then
  std::vector<Operand> operands;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokens_of(text)), scope_(text) {}

  Body parse() {
    while (next().kind != Kind::end) {
      if (!take(';')) statement();
    }
    if (drafts_.empty()) refuse(next(), "no statement");
    scope_.close();
    name_inner_edges();
    Body body;
    for (Draft& draft : drafts_) body.nodes.push_back(std::move(draft.node));
    name_ports(body);
    return body;
  }

 private:
  [[noreturn]] void refuse(const Token& token, const std::string& what) const {
    graph::refuse(text_, token.position, what);
  }
  const Token& next() const { return tokens_[position_]; }
  bool take(char symbol) {
    if (!next().is(symbol)) return false;
    ++position_;
    return true;
  }
  void expect(char symbol) {
    if (!take(symbol)) refuse(next(), std::string("expected '") + symbol + "'");
  }
  const Token& take_name() {
    if (next().kind != Kind::name) refuse(next(), "expected a name");
    return tokens_[position_++];
  }

  // name {, name} = expression
  void statement() {
    std::vector<Token> results = {take_name()};
    while (take(',')) results.push_back(take_name());
    expect('=');
    const Token start = next();
    const Operand value = expression();
    if (next().kind != Kind::end && !next().is(';')) {
      const bool call = next().kind == Kind::name && tokens_[position_ - 1].kind == Kind::name;
      refuse(next(), call ? "expected '('" : "expected ';' or an operator");
    }
    if (!value.name.empty() || value.number) {
      refuse(start, base::quoted(start.text) + " alone computes nothing: write a call or an expression");
    }
    Node& node = drafts_[value.node].node;
    if (!node.result.empty()) refuse(start, "a statement needs a call or an expression of its own");
    if (results.size() > node.op->outputs.size()) {
      refuse(results.back(), node.op->name + " has " + std::to_string(node.op->outputs.size()) + " outputs, not " +
                                 std::to_string(results.size()));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      scope_.define(results[i], i > 0);
      if (i > 0) node.further.push_back(results[i].text);
    }
    node.result = results[0].text;
  }

  Operand expression() {
    Operand left = term();
    while (next().is('+') || next().is('-')) {
      const Token sign = tokens_[position_++];
      left = infix(sign, sign.is('+') ? "add" : "sub", left, term());
    }
    return left;
  }

  Operand term() {
    Operand left = factor();
    while (next().is('*') || next().is('/')) {
      const Token sign = tokens_[position_++];
      left = infix(sign, sign.is('*') ? "mul" : "div", left, factor());
    }
    return left;
  }

  Operand factor() {
    const Deeper level(*this);
    const Token sign = next();
    if (take('-')) {
      Operand operand = factor();
      if (operand.number) {
        operand.number = -*operand.number;
        return operand;
      }
      return call_of(sign, primitive(sign, "neg"), {operand});
    }
    const Operand base = value();
    const Token power = next();
    if (!take('^')) return base;
    const double exponent = number();
    if (base.number) refuse(power, "a power of a number: write its value");
    if (exponent == 2) return infix(power, "mul", base, base);
    const OpDef& op = primitive(power, "pow");
    const Operand result = call_of(power, op, {base});
    set_attribute(power, drafts_[result.node].node, op.attrs.at(0).name, {exponent});
    return result;
  }

  Operand value() {
    const Token token = next();
    if (token.kind == Kind::number) {
      Operand operand;
      operand.number = number();
      return operand;
    }
    if (take('(')) {
      const Operand inner = expression();
      expect(')');
      return inner;
    }
    if (token.kind != Kind::name) refuse(token, "expected a name, a number or '('");
    ++position_;
    if (take('(')) return call(token);
    scope_.use(token);
    Operand operand;
    operand.name = token.text;
    return operand;
  }

  Operand call(const Token& name) {
    const OpDef& op = primitive(name, name.text);
    std::vector<Operand> operands;
    std::vector<std::pair<Token, std::size_t>> settings;  // where each attribute's setting stands
    Node node;
    node.op = &op;
    do {
      const bool attribute = next().kind == Kind::name && tokens_[position_ + 1].is('=');
      if (attribute) {
        setting(node);
      } else if (node.fixed.all().empty() && node.renamed.empty()) {
        operands.push_back(expression());
      } else {
        refuse(next(), "a tensor behind an attribute: attributes come last");
      }
    } while (take(','));
    expect(')');
    const Operand result = call_of(name, op, std::move(operands));
    Node& made = drafts_[result.node].node;
    made.fixed = std::move(node.fixed);
    made.renamed = std::move(node.renamed);
    return result;
  }

  // attribute = number | [numbers] | name
  void setting(Node& node) {
    const Token name = take_name();
    expect('=');
    const std::string unknown = unknown_attribute(*node.op, name.text);
    if (!unknown.empty()) refuse(name, unknown);
    if (node.fixed.has(name.text) || node.renamed.contains(name.text)) {
      refuse(name, base::quoted(name.text) + " is given twice");
    }
    const bool mode = name.text == "bn" && (next().text == "train" || next().text == "infer");
    if (next().kind == Kind::name && !mode) {
      node.renamed[name.text] = take_name().text;
      return;
    }
    std::vector<double> values;
    if (mode) {
      values.push_back(take_name().text == "train" ? 1 : 0);
    } else if (take('[')) {
      do values.push_back(number());
      while (take(','));
      expect(']');
    } else {
      values.push_back(number());
    }
    set_attribute(name, node, name.text, values);
  }

  void set_attribute(const Token& place, Node& node, const std::string& attribute, const std::vector<double>& values) {
    try {
      node.fixed.set(attribute, completed(*node.op, attribute, values));
    } catch (const Error& error) {
      refuse(place, error.what());
    }
  }

  double number() {
    const bool negative = take('-');
    const Token token = next();
    if (token.kind != Kind::number) refuse(token, "expected a number");
    ++position_;
    double value = 0;
    try {
      value = base::parse_number(token.text, "number");
    } catch (const Error& error) {
      refuse(token, error.what());
    }
    if (value > largest_finite(DType::f32)) refuse(token, token.text + " is beyond f32, in which constants are held");
    return negative ? -value : value;
  }

  Operand infix(const Token& sign, const std::string& op, const Operand& left, const Operand& right) {
    return call_of(sign, primitive(sign, op), {left, right});
  }

  Operand call_of(const Token& place, const OpDef& op, std::vector<Operand> operands) {
    const std::string wrong = wrong_count(op, operands.size());
    if (!wrong.empty()) refuse(place, wrong);
    if (std::all_of(operands.begin(), operands.end(), [](const Operand& o) { return o.number.has_value(); })) {
      refuse(place, op.name + " of numbers alone: write its value");
    }
    Draft draft;
    draft.node.op = &op;
    draft.node.cast = cast_of(op);
    draft.operands = std::move(operands);
    drafts_.push_back(std::move(draft));
    Operand result;
    result.node = drafts_.size() - 1;
    return result;
  }

  const OpDef& primitive(const Token& place, const std::string& name) const {
    std::string why;
    const OpDef* op = find_primitive(name, why);
    if (op == nullptr) refuse(place, why);
    return *op;
  }

  void name_inner_edges() {
    for (Draft& draft : drafts_) {
      if (draft.node.result.empty()) draft.node.result = scope_.fresh();
      for (const Operand& operand : draft.operands) {
        draft.node.arguments.push_back(operand.number          ? base::number_text(*operand.number)
                                       : !operand.name.empty() ? operand.name
                                                               : drafts_[operand.node].node.result);
      }
    }
  }

  // Counts nesting while it lives.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser.depth_ > most_depth) {
        parser.refuse(parser.next(), "nested more than " + std::to_string(most_depth) + " deep; name inner values");
      }
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::vector<Draft> drafts_;
  Scope scope_;
};

}  // namespace

Body parse_body(std::string_view text) {
  if (text.size() > most_text) {
    usage_error("body: " + std::to_string(text.size()) + " bytes of text, at most " + std::to_string(most_text) +
                " are read");
  }
  return Parser(text).parse();
}

}  // namespace fusecheck::graph
