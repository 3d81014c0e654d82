#include "run/blocks.hpp"

namespace fusecheck::run {
namespace {

// The strides of `shape` seen from the axes of `out`; 0 where its one element serves all.
std::vector<std::int64_t> strides_of(const Shape& shape, const Shape& out) {
  std::vector<std::int64_t> strides(out.size(), 0);
  const std::size_t lead = out.size() - shape.size();
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1) strides[axis + lead] = stride;
    stride *= shape[axis];
  }
  return strides;
}

engine::Operands operands_of(std::int64_t left, std::int64_t right) {
  if (left != 0 && right != 0) return engine::Operands::both;
  return left != 0 ? engine::Operands::left : engine::Operands::right;
}

}  // namespace

Blocks blocks_of(const Shape& a, const Shape& b, const Shape& out) {
  Blocks blocks;
  const std::int64_t elements = element_count(out);
  if (elements == 0) return blocks;
  const std::vector<std::int64_t> left = strides_of(a, out), right = strides_of(b, out);
  blocks.length = 1;
  std::size_t outer = out.size();
  for (bool first = true; outer > 0; --outer) {
    const std::size_t axis = outer - 1;
    if (out[axis] == 1) continue;
    const engine::Operands here = operands_of(left[axis], right[axis]);
    if (!first && here != blocks.operands) break;
    blocks.operands = here;
    blocks.length *= out[axis];
    first = false;
  }
  blocks.left = blocks.right = {0};
  for (std::size_t axis = 0; axis < outer; ++axis) {
    const auto extend = [&](std::vector<std::int64_t>& starts, std::int64_t stride) {
      std::vector<std::int64_t> longer;
      longer.reserve(starts.size() * static_cast<std::size_t>(out[axis]));
      for (const std::int64_t start : starts) {
        for (std::int64_t i = 0; i < out[axis]; ++i) longer.push_back(start + i * stride);
      }
      starts = std::move(longer);
    };
    extend(blocks.left, left[axis]);
    extend(blocks.right, right[axis]);
  }
  return blocks;
}

engine::Operation operation_of(Binary op, bool exact_quotients) {
  if (op == Binary::add) return engine::Operation::add;
  if (op == Binary::subtract) return engine::Operation::subtract;
  if (op == Binary::multiply) return engine::Operation::multiply;
  return exact_quotients ? engine::Operation::divide : engine::Operation::divide_roughly;
}

}  // namespace fusecheck::run
