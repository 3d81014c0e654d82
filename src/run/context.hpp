// A case made definite: every attribute, shape and storage type.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/op.hpp"
#include "fusecheck/tensor.hpp"
#include "graph/body.hpp"

namespace fusecheck::run {

struct Context {
  const OpDef* op = nullptr;
  std::shared_ptr<const OpDef> own;  // keeps an op alive that the case's own body makes
  graph::Interface interface;        // inputs as present: an optional bias that is not wanted is left out
  Attrs attrs;
  Shapes shapes;                                     // inputs, edges, outputs, saved tensors, dy and every gradient
  std::map<std::string, DType, std::less<>> dtypes;  // the same names
  std::map<std::string, std::int64_t, std::less<>> limits = {};  // of index tensors: what their elements lie below
  DType dtype = DType::f16;
  bool training = false;
  bool forward = true, backward = true;

  DType dtype_of(std::string_view tensor) const;  // internal error for an unknown name
  // y, running_mean ..., then the gradients, in the order of the ports; what the case's direction asks for.
  std::vector<std::string> output_names() const;
};

// The storage type of one of the op's tensors (J1), which no shape has a say in.
DType storage_of(const CaseSpec& spec, const Port& port);
// The same where the op's body may say the type itself: a cast.
DType storage_of(const CaseSpec& spec, const graph::Interface& interface, const Port& port);

// Usage error for anything that does not fit together. `exact_eps` replaces a default eps by a power of two (J10).
Context make_context(const CaseSpec& spec, bool exact_eps = false);

// One way to round: a recipe's own kernel, or the body, with a rule for every named point.
struct Schedule {
  std::string name;                // "epilogue", "unfused", "fold conv=f16"
  const Recipe* recipe = nullptr;  // nullptr: the body
  bool store_edges = false;        // points without a rule of their own are rounded to storage (unfused), or kept
  bool roundings = true;           // false: no rounding anywhere, storage included (the plain algebra)
  bool recompute = false;          // the backward computes the forward's outputs again instead of reading them
  bool lossy = false;
  bool declared = false;  // "as-written": the casts of the body
  bool offered = false;   // not what the body declares: never tried silently, offered where a kernel fails
  std::map<std::string, std::optional<DType>, std::less<>> points = {};  // nullopt: kept in compute precision
};

// The op's schedules for this mode, cheapest first, then "unfused", and "recompute" where a backward of a body without
// recipes reads an output of 16 bits: what computes it again in f32 is more accurate than what reads it. An op without
// recipes of its own has "as-written", where its body has casts (each a rounding, everything else kept in compute
// precision), and "fused", where casts are passed by; both round what feeds a contraction to the case's type, unless a
// cast says otherwise (J2). `with_lossy` adds those that are never tried silently.
std::vector<Schedule> schedules_of(const Context& context, bool with_lossy);
// By name, with --round on top. Usage error: unknown recipe or point, fold with training.
Schedule find_schedule(const Context& context, const std::string& recipe,
                       const std::map<std::string, std::string, std::less<>>& rounds);
// The points at which the schedule's kernel rounds what feeds a contraction inside of it, in its order.
std::vector<std::string> operand_points(const Context& context, const Schedule& schedule);
// Whether the schedule's kernel divides or takes a square root.
bool has_quotients(const Context& context, const Schedule& schedule);
// The body without any rounding.
Schedule plain_body();

// Draws every input that `given` lacks, dy included, and checks the given ones against shapes and types.
Tensors draw_inputs(const Context& context, DataSet set, std::uint64_t seed, bool dy_ones, const Tensors& given);

}  // namespace fusecheck::run
