#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "run/context.hpp"

namespace fusecheck::run {
namespace {

// dy: sign-balanced and never constant (J10); `stress` adds an offset, so that sums over it do not cancel.
double draw_dy(const DrawContext& draw, std::int64_t element) {
  const auto i = static_cast<std::uint64_t>(element);
  if (draw.set == DataSet::exact) {
    const auto value = static_cast<double>(draw.rng.integer(i, -2, 1));
    return value >= 0 ? value + 1 : value;  // -2, -1, 1, 2
  }
  return draw.rng.normal(i) + (draw.set == DataSet::stress ? 0.5 : 0.0);
}

double ones(const DrawContext&, std::int64_t) { return 1; }

// The attributes of the call that says what the input is: what its generator knows by their own names.
Attrs attributes_at(const Context& context, const std::string& input) {
  const graph::Body body = graph::body_of(*context.op);
  const graph::Reading reading = graph::reading_of(body, input);
  return reading.node == nullptr ? context.attrs : graph::attributes_of(*reading.node, context.attrs);  // null: dy
}

Tensor draw_tensor(const Context& context, const std::string& name, Draw draw, DataSet set, std::uint64_t seed) {
  const Shape& shape = context.shapes.at(name);
  const DType dtype = context.dtype_of(name);
  const PhiloxReader rng(Philox(seed, name_of(set) + "/" + name));
  const Attrs attrs = attributes_at(context, name);
  DrawContext how{set, rng, shape, attrs, dtype, context.dtype};
  const auto limit = context.limits.find(name);
  if (limit != context.limits.end()) how.limit = limit->second;
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = draw(how, static_cast<std::int64_t>(i));
  return Tensor::from(dtype, shape, values);
}

// What may be given: inputs, dy, and the saved tensors where the backward alone is judged. A forward that read its own
// saved tensors from the user would confirm whatever they hold.
std::vector<std::string> givable(const Context& context) {
  std::vector<std::string> names;
  for (const Port& port : context.interface.inputs) names.push_back(port.name);
  names.push_back("d" + context.interface.first_output);
  if (context.forward) return names;
  for (const Port& port : context.interface.saved) names.push_back(port.name);
  return names;
}

void check_given(const Context& context, const std::string& name, const Tensor& tensor) {
  const std::vector<std::string> known = givable(context);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const auto& saved = context.interface.saved;
    if (std::any_of(saved.begin(), saved.end(), [&](const Port& port) { return port.name == name; })) {
      usage_error("--input " + name + ": saved tensors can be given with --direction bwd only");
    }
    usage_error("--input " + name + ": " + context.op->name + " takes no such tensor" + base::hint(name, known));
  }
  if (tensor.shape() != context.shapes.at(name)) {
    usage_error("--input " + name + " has shape " + to_text(tensor.shape()) + ", the case says " +
                to_text(context.shapes.at(name)));
  }
  if (tensor.dtype() != context.dtype_of(name)) {
    usage_error("--input " + name + " is " + std::string(name_of(tensor.dtype())) + ", the case says " +
                std::string(name_of(context.dtype_of(name))) + "; declare it with --dtype ...," + name + "=" +
                std::string(name_of(tensor.dtype())));
  }
}

}  // namespace

Tensors draw_inputs(const Context& context, DataSet set, std::uint64_t seed, bool dy_ones, const Tensors& given) {
  Tensors tensors = given;
  for (const auto& [name, tensor] : given) check_given(context, name, tensor);
  for (const Port& port : context.interface.inputs) {
    if (!tensors.contains(port.name)) tensors[port.name] = draw_tensor(context, port.name, port.draw, set, seed);
  }
  const std::string dy = "d" + context.interface.first_output;
  if (context.backward && !tensors.contains(dy)) {
    tensors[dy] = draw_tensor(context, dy, dy_ones ? ones : draw_dy, set, seed);
  }
  return tensors;
}

}  // namespace fusecheck::run
