// The body of a fused op: a chain of primitives as text, and what follows from it.
//
//   conv = conv2d(x, w, b); bn = batch_norm(conv, gamma, beta, mean, var); y = relu(bn)
//   c = conv2d(x, w, kernel=1, pad=0, oc=oc2); s = f16(c); y = relu(2*s + r)
//
//   body       = statement { (";" | line end outside parentheses) statement }      "#" starts a comment
//   statement  = name { "," name } "=" expression            names for the outputs of a call, in the order of its ports
//   expression = term { ("+" | "-") term }                   the primitives add, sub
//   term       = factor { ("*" | "/") factor }               mul, div
//   factor     = "-" factor | value [ "^" number ]           neg; x^2 is mul(x, x), any other power is pow
//   value      = number | name | call | "(" expression ")"
//   call       = op "(" expression { "," expression } { "," attribute "=" setting } ")"
//   setting    = number | "[" number { "," number } "]"      fixed for this call, not an attribute of the op
//              | name                                        the op's attribute of that name; without a setting: the
//                                                            primitive's own name
//
// The last statement's (first) name is the op's first output. A name that no earlier statement sets is an input. Values
// inside an expression are edges as well: t1, t2 ... in the order in which the text forms them, names in use left out.
// f16(..), bf16(..) and f32(..) are casts: rounding points that a schedule "as-written" obeys, and that exact algebra
// passes by. A number is a constant, rounded to f32.
//
// What a primitive saves for its backward, and outputs that the statement does not name (running_mean ...), keep the
// primitive's name where it is the only one in the body; else they are called EDGE_NAME, after the call's first result:
// two relus giving `a` and `y` save a_mask and y_mask.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/op.hpp"

namespace fusecheck::graph {

using Names = std::map<std::string, std::string, std::less<>>;

struct Node {
  const OpDef* op = nullptr;
  std::vector<std::string> arguments;  // one per input port, in order; trailing optional ports may lack one
  std::string result;                  // of the first output
  std::vector<std::string> further;    // names for the outputs behind it, as far as the statement gives some
  Attrs fixed = {};                    // attributes that the body sets, complete
  Names renamed = {};                  // attribute of the primitive -> attribute of the op
  Names names = {};                    // saved ports and outputs behind the first -> tensor of the body
  std::optional<DType> cast = {};      // of f16(..), bf16(..), f32(..)
};

struct Body {
  std::vector<Node> nodes;
};

// Longest text and deepest nesting that parse_body takes.
constexpr std::size_t most_text = 64 * 1024;
constexpr int most_depth = 64;

// Usage error with the place in the text where it does not parse, or where a name is used before it is set, set twice
// or never used.
Body parse_body(std::string_view text);
// A primitive is its own body: y = op(its ports).
Body body_of(const OpDef& op);
// Canonical text: one call a statement, inner edges named. parse_body(to_text(body)) gives the same body.
std::string to_text(const Body& body);

// The value of an argument that is a number.
std::optional<double> literal(std::string_view argument);

// The call that says what a free name is (how it is drawn and stored): the first that reads it or, where that is a
// cast, the first that reads what was cast. A value that only casts read belongs to the last of them.
struct Reading {
  const Node* node;
  std::size_t port;
};
Reading reading_of(const Body& body, std::string_view name);

// The attributes that one node runs with, from those of the op.
Attrs attributes_of(const Node& node, const Attrs& op);
// What the op calls an attribute of the node's primitive; empty where the body fixes it.
std::string attribute_name(const Node& node, const std::string& attribute);

// What an op takes and gives, worked out from its body.
struct Interface {
  std::vector<Port> inputs, outputs, saved;
  std::vector<AttrSpec> attrs;
  std::string first_output;
  std::map<std::string, DType, std::less<>> casts;  // edges and outputs whose type the body itself says
};
Interface interface_of(const OpDef& op);

// The shapes of all inputs, edges and outputs from those given (x at least) and complete attributes. `absent` inputs
// (an optional bias that is not wanted) get no shape. Usage error where they contradict each other or do not follow.
Shapes complete_shapes(const OpDef& op, Shapes given, const Attrs& attrs, const std::vector<std::string>& absent);

}  // namespace fusecheck::graph
