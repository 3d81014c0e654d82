// Ops that a user writes down as a body: they exist for one case, without any C++.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/body.hpp"

namespace fusecheck::graph {

inline constexpr std::string_view own_op_name = "body";

// The registered op of that name (usage error with a suggestion where there is none), or an op of its own for a body's
// text. Its inputs are all there: what the text names is no option.
std::shared_ptr<const OpDef> op_of(std::string_view name, std::string_view body);
bool is_own(const OpDef& op);

// A canonical text as one word without blanks, quotes or brackets, and back:
//   c = conv2d(x, w, kernel=[1, 1]); y = relu(c)      c=conv2d:x:w:kernel=1x1+y=relu:c
std::string encoded(std::string_view canonical);
std::string decoded(std::string_view word);

// The body that --body names: text, a file that holds it, or a file with a chain in JSON (chain_body). Usage error with
// the place; no-verdict error where the file is absent.
std::string read_own_body(const std::string& text_or_file);

// The fusion rule of a CANN-like configuration as a body: {"pattern": [{"type": "Conv2D"}, {"type": "BatchNorm"}, ...]}
// or {"pattern": {"op": "Conv2D", "next": {"op": "Relu"}}}. Each op reads the value of the one before it as its first
// input; its other inputs are inputs of the body.
std::string chain_body(std::string_view json);

}  // namespace fusecheck::graph
