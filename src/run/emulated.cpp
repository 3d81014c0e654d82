#include "run/emulated.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/elementwise.hpp"
#include "engine/kernels.hpp"

namespace fusecheck::run {
namespace {

constexpr std::int64_t block_length = 1024;    // of f32 an edge: 4 KiB
constexpr std::int64_t least_deferred = 2048;  // fewer elements are not worth a plan
constexpr int deepest = 16;                    // so that a chain's blocks stay in the second-level cache

bool waits(const Emulated& edge) { return edge.values == nullptr && edge.step.has_value(); }

// Elements of an operand: element i lies at values[i - first].
struct View {
  const float* values = nullptr;
  std::int64_t first = 0;
};

engine::UnaryOperation operation_of(Unary op) {
  if (op == Unary::negate) return engine::UnaryOperation::negate;
  if (op == Unary::square_root) return engine::UnaryOperation::square_root;
  if (op == Unary::relu) return engine::UnaryOperation::relu;
  return op == Unary::positive ? engine::UnaryOperation::positive : engine::UnaryOperation::absolute;
}

// Elements [first, first + n) of the step's result.
void carry_out(const EmulatedStep& step, std::int64_t first, std::int64_t n, View a, View b, float* out) {
  const auto count = static_cast<std::size_t>(n);
  const engine::ElementwiseTable& table = engine::kernels_for(step.simd).elementwise;
  if (step.kind == EmulatedStepKind::arithmetic) {
    const engine::PlainRun<float> run = of(table.f32, step.operation, step.blocks.operands);
    for_each_part(step.blocks, first, n,
                  [&](std::int64_t left, std::int64_t right, std::int64_t at, std::int64_t length) {
                    run(a.values + (left - a.first), b.values + (right - b.first), out + at, length);
                  });
  } else if (step.kind == EmulatedStepKind::unary) {
    table.unary_f32[static_cast<int>(operation_of(step.unary))](a.values + (first - a.first), out, n);
  } else {
    round_to(step.dtype, std::span(a.values + (first - a.first), count), std::span(out, count), step.rule);
  }
  for (std::size_t i = 0; step.flush_subnormals && i < count; ++i) {
    if (std::fabs(out[i]) < 0x1p-126F) out[i] = std::copysign(0.0F, out[i]);
  }
}

// What is needed for one edge, and blocks of it all.
class Plan {
 public:
  explicit Plan(const Emulated& root) {
    add(root);
    scratch_.resize(nodes_.size() * block_length);
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].block = scratch_.data() + i * block_length;
  }

  // Calls look(first, values) for one block after the other.
  template <class Look>
  void run(std::int64_t size, Look look) {
    for (std::int64_t first = 0; first < size; first += block_length) {
      const std::int64_t n = std::min(block_length, size - first);
      for (Node& node : nodes_) evaluate(node, first, n);
      const View last = nodes_.back().view;
      look(first, std::span<const float>(last.values + (first - last.first), static_cast<std::size_t>(n)));
    }
  }

 private:
  struct Node {
    const Emulated* edge = nullptr;
    std::size_t a = 0, b = 0;  // nodes
    float* block = nullptr;
    View view = {};
  };

  std::size_t add(const Emulated& edge) {
    const auto known = numbers_.find(&edge);
    if (known != numbers_.end()) return known->second;
    Node node = {.edge = &edge};
    if (waits(edge)) {
      node.a = add(*edge.step->a);
      if (edge.step->b != nullptr) node.b = add(*edge.step->b);
    } else if (edge.values != nullptr) {
      node.view = {edge.values->data(), 0};
    }
    nodes_.push_back(node);
    numbers_.emplace(&edge, nodes_.size() - 1);
    return nodes_.size() - 1;
  }

  void evaluate(Node& node, std::int64_t first, std::int64_t n) {
    const Emulated& edge = *node.edge;
    if (edge.values != nullptr) return;
    if (edge.step.has_value()) {
      carry_out(*edge.step, first, n, nodes_[node.a].view, nodes_[node.b].view, node.block);
    } else {
      const std::size_t each = size_of(edge.tensor->dtype()), count = static_cast<std::size_t>(n);
      read_elements(edge.tensor->dtype(),
                    edge.tensor->bytes().subspan(static_cast<std::size_t>(first) * each, count * each),
                    std::span(node.block, count));
    }
    node.view = {node.block, first};
  }

  std::vector<Node> nodes_;  // operands before what is made of them, the root last
  std::map<const Emulated*, std::size_t> numbers_;
  std::vector<float> scratch_;
};

std::int64_t size_of_edge(const Emulated& edge) {
  if (edge.values != nullptr) return static_cast<std::int64_t>(edge.values->size());
  return edge.step.has_value() ? edge.step->size : edge.tensor->size();
}

View view_of(const EmulatedEdge& edge) { return edge == nullptr ? View{} : View{values_of(*edge)->data(), 0}; }

}  // namespace

EmulatedEdge edge_of(std::vector<float> values) {
  return std::make_shared<const Emulated>(
      Emulated{.values = std::make_shared<const std::vector<float>>(std::move(values))});
}

EmulatedEdge edge_of(const Tensor& tensor) { return std::make_shared<const Emulated>(Emulated{.tensor = &tensor}); }

EmulatedEdge edge_of(EmulatedStep step) {
  if (step.size < least_deferred) {
    std::vector<float> out(static_cast<std::size_t>(step.size));
    carry_out(step, 0, step.size, view_of(step.a), view_of(step.b), out.data());
    return edge_of(std::move(out));
  }
  for (const EmulatedEdge& operand : {step.a, step.b}) {
    if (operand == nullptr) continue;
    if (size_of_edge(*operand) != step.size) {  // its elements are wanted in another order
      values_of(*operand);
    } else if (waits(*operand)) {
      if (operand->step->depth >= deepest) {
        values_of(*operand);
      } else {
        step.depth = std::max(step.depth, operand->step->depth + 1);
      }
    }
  }
  return std::make_shared<const Emulated>(Emulated{.step = std::move(step)});
}

const Floats& values_of(const Emulated& edge) {
  if (edge.values != nullptr) return edge.values;
  std::vector<float> values;
  if (edge.tensor != nullptr) {
    values = edge.tensor->floats();
  } else {
    values.reserve(static_cast<std::size_t>(edge.step->size));
    Plan(edge).run(edge.step->size, [&](std::int64_t, std::span<const float> block) {
      values.insert(values.end(), block.begin(), block.end());
    });
    edge.step.reset();
  }
  edge.values = std::make_shared<const std::vector<float>>(std::move(values));
  return edge.values;
}

Tensor tensor_of(const Emulated& edge, DType dtype, const Shape& shape) {
  if (!waits(edge)) return Tensor::from(dtype, shape, std::span<const float>(*values_of(edge)));
  const EmulatedStep& step = *edge.step;
  // Rounding twice alike is rounding once.
  const bool alike = step.kind == EmulatedStepKind::round && step.dtype == dtype && step.rule == RoundingRule{};
  std::vector<std::byte> bytes, part;
  bytes.reserve(static_cast<std::size_t>(step.size) * size_of(dtype));
  Plan(alike ? *step.a : edge).run(step.size, [&](std::int64_t, std::span<const float> block) {
    part.resize(block.size() * size_of(dtype));
    write_elements(dtype, block, part);
    bytes.insert(bytes.end(), part.begin(), part.end());
  });
  return {dtype, shape, std::move(bytes)};
}

}  // namespace fusecheck::run
