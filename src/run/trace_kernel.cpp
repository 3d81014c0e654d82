#include "run/trace_kernel.hpp"

namespace fusecheck::run {

graph::Request traced_request(const Context& context) {
  graph::Request request;
  request.op = context.op;
  request.attrs = &context.attrs;
  for (const Port& port : context.interface.inputs) {
    request.inputs[port.name] = TraceKernel::in_memory(context.shapes.at(port.name), port.name);
  }
  const std::string upstream = "d" + context.interface.first_output;
  request.inputs["dy"] = TraceKernel::in_memory(context.shapes.at(upstream), upstream);
  return request;
}

std::vector<Event> trace(const graph::Request& request, const Recipe* recipe) {
  TraceKernel kernel;
  graph::run(kernel, recipe, request);
  return kernel.events();
}

}  // namespace fusecheck::run
