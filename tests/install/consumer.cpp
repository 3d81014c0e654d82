// relu of [-1, 0, 2] is [0, 0, 2]: judged by the library, as a kernel's output that is right, and as one that is not.
#include <iostream>
#include <vector>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/check.hpp"
#include "fusecheck/registry.hpp"

namespace {

fusecheck::Tensor tensor(const std::vector<double>& values) {
  return fusecheck::Tensor::from(fusecheck::DType::f32, {3}, std::span<const double>(values));
}

fusecheck::Status judged(const std::vector<double>& y) {
  fusecheck::CheckRequest request;
  request.spec = fusecheck::parse_case("relu/f32/x=3/random/fwd");
  request.inputs["x"] = tensor({-1, 0, 2});
  request.actual["y"] = tensor(y);
  return fusecheck::check(request).status;
}

}  // namespace

int main() {
  const bool known = !fusecheck::find_op("relu").fused();
  const bool right = judged({0, 0, 2}) == fusecheck::Status::pass;
  const bool wrong = judged({0, 0, 2.5}) == fusecheck::Status::fail;
  std::cout << known << right << wrong << "\n";
  return known && right && wrong ? 0 : 1;
}
