#include "run/chain.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "run/chain_block.hpp"
#include "run/real_arithmetic.hpp"

namespace fusecheck::run {
namespace {

constexpr std::int64_t block_length = 512;  // three arrays of f64 an edge: 12 KiB
constexpr int deepest = 16;                 // so that a chain's blocks stay in the second-level cache

bool waits(const Real& real) { return real.waiting != nullptr && !real.waiting->done.has_value(); }

// The arrays of an edge that somebody wants, as far as they are done. No intervals: low and high are empty.
struct Arrays {
  std::vector<double> v, low, high;

  void append(const Block& block, std::int64_t length, std::size_t size) {
    if (v.empty()) v.reserve(size);
    v.insert(v.end(), block.v, block.v + length);
    if (block.exact && low.empty()) return;
    if (low.empty()) {
      low.reserve(size);
      high.reserve(size);
      low.assign(v.begin(), v.end() - length);
      high.assign(v.begin(), v.end() - length);
    }
    low.insert(low.end(), block.exact ? block.v : block.low, (block.exact ? block.v : block.low) + length);
    high.insert(high.end(), block.exact ? block.v : block.high, (block.exact ? block.v : block.high) + length);
  }
};

struct Edge {
  const Real* leaf = nullptr;  // else `step` makes it
  Step* step = nullptr;
  std::size_t a = 0, b = 0;  // edges
  bool wanted = false;
  Block block = {};
  Findings found = {};
  Arrays arrays = {};
  Real facts = {};  // without arrays
  bool exact = false;
};

class Plan {
 public:
  Plan(const Real& root, bool values_only) : values_only_(values_only) {
    add(root);
    edges_.back().wanted = true;
    const std::size_t inner =
        static_cast<std::size_t>(std::ranges::count_if(edges_, [](const Edge& e) { return e.leaf == nullptr; }));
    scratch_.resize(inner * 3 * static_cast<std::size_t>(block_length));
    double* free = scratch_.data();
    for (Edge& edge : edges_) {
      if (edge.leaf != nullptr) continue;
      edge.block = {free, free + block_length, free + 2 * block_length, false};
      free += 3 * block_length;
    }
  }

  Edge& root() { return edges_.back(); }
  Edge& operand_of_root() { return edges_[edges_.back().a]; }

  void run() {
    do {
      pass(nullptr);
    } while (summarise());
  }

  // The root's blocks, as they come. Whether an inner rounding is decided changes none of them.
  void show(const Look& look) {
    root().wanted = false;
    pass(&look);
  }

 private:
  std::size_t add(const Real& real) {
    const auto known = numbers_.find(&real);
    if (known != numbers_.end()) return known->second;
    Edge edge;
    if (waits(real)) {
      edge.step = real.waiting.get();
      edge.a = add(*edge.step->a);
      if (edge.step->b != nullptr) edge.b = add(*edge.step->b);
    } else {
      edge.leaf = &settled(real);
      edge.facts = *edge.leaf;
      edge.exact = edge.leaf->exact();
    }
    edges_.push_back(std::move(edge));
    numbers_.emplace(&real, edges_.size() - 1);
    return edges_.size() - 1;
  }

  Operand operand(std::size_t number, Range range) const {
    const Edge& edge = edges_[number];
    if (edge.leaf == nullptr) return {edge.block.v, edge.block.low, edge.block.high, range.first, edge.block.exact};
    const Real& real = *edge.leaf;
    return {real.v->data(), real.lows().data(), real.highs().data(), 0, values_only_ || real.exact()};
  }

  void evaluate(Edge& edge, Range range) {
    const Step& step = *edge.step;
    const Operand a = operand(edge.a, range);
    if (step.kind == StepKind::arithmetic) {
      const bool intervals = step.intervals && !values_only_;
      arithmetic_block(step, intervals, range, a, operand(edge.b, range), edge.block, edge.found);
    } else if (step.kind == StepKind::round) {
      round_block(step, edges_[edge.a].facts.f64_share, range, a, edge.block, edge.found);
    } else if (step.kind == StepKind::either) {
      either_block(range, a, operand(edge.b, range), edge.block, edge.found);
      edge.block.exact = values_only_;
    } else {
      unary_block(step, range, a, edge.block, edge.found);
    }
  }

  void pass(const Look* look) {
    for (Edge& edge : edges_) {
      edge.found = {};
      edge.arrays = {};
      if (edge.leaf == nullptr) set_share(edge, edge.facts.uncertified > 0);
    }
    const auto size = static_cast<std::int64_t>(root().step->size);
    for (std::int64_t first = 0; first < size; first += block_length) {
      const Range range = {first, std::min(block_length, size - first)};
      for (Edge& edge : edges_) {
        if (edge.leaf != nullptr) continue;
        evaluate(edge, range);
        if (edge.wanted) edge.arrays.append(edge.block, range.length, root().step->size);
      }
      if (look == nullptr) continue;
      const Block& block = root().block;
      const auto length = static_cast<std::size_t>(range.length);
      (*look)(static_cast<std::size_t>(first), {block.v, length}, {block.exact ? block.v : block.low, length},
              {block.exact ? block.v : block.high, length});
    }
  }

  void set_share(Edge& edge, bool undecided) {
    edge.facts.f64_share = edges_[edge.a].facts.f64_share;
    if (edge.step->kind == StepKind::arithmetic) {
      edge.facts.f64_share = std::max({edge.facts.f64_share, edges_[edge.b].facts.f64_share, elementwise_f64_share});
    }
    // v may be the wrong neighbour, as far off as the interval is wide.
    if (edge.step->kind == StepKind::round && undecided) edge.facts.f64_share = 1;
  }

  // What belongs to each edge besides its arrays. True where an inner rounding turned out undecided, which what follows
  // it has to know: another pass.
  bool summarise() {
    bool again = false;
    for (Edge& edge : edges_) {
      if (edge.leaf != nullptr) continue;
      const bool counted_on = edge.facts.uncertified > 0 && edge.step->kind == StepKind::round;
      describe(edge);
      const bool undecided = edge.step->kind == StepKind::round && edge.found.undecided > 0;
      set_share(edge, undecided);
      again = again || (undecided && !counted_on && &edge != &root());
    }
    return again && !values_only_;
  }

  void describe(Edge& edge) const {
    const Edge& a = edges_[edge.a];
    const Findings& found = edge.found;
    const StepKind kind = edge.step->kind;
    if (kind == StepKind::arithmetic) {
      const Real &left = a.facts, &right = edges_[edge.b].facts;
      edge.facts = {};
      edge.facts.rigorous = std::max(left.rigorous, right.rigorous);
      edge.exact = !found.wide;
      if (edge.exact) return;
      const auto mixed = [&](double p, double q) { return mixed_share(found.all_widths, found.added_widths, p, q); };
      edge.facts.typical = mixed(left.typical, right.typical);
      edge.facts.bias = mixed(left.bias, right.bias);
      edge.facts.rms = mixed(left.rms, right.rms);
      return;
    }
    edge.facts = a.facts;
    edge.facts.before = nullptr;
    edge.facts.contraction = nullptr;
    edge.exact = a.exact;
    if (kind == StepKind::positive) edge.exact = a.exact || !found.differing;
    if (kind == StepKind::round) {
      const bool any = !a.exact && (found.differing || found.nan);
      edge.exact = !any;
      edge.facts.uncertified = found.undecided;
      // Where rounding leaves two neighbours, a legal error that crosses costs the whole step: twice its half.
      if (any) edge.facts.typical = std::min(1.0, 2 * a.facts.typical);
    }
    if (kind == StepKind::either && found.differing) {
      edge.exact = false;
      edge.facts.typical = edge.facts.bias = edge.facts.rms = 1;
    }
  }

  bool values_only_;
  std::vector<Edge> edges_;  // operands before what is made of them, the root last
  std::map<const Real*, std::size_t> numbers_;
  std::vector<double> scratch_;
};

Real taken(Edge& edge) {
  Real real = edge.facts;
  real.v = share(std::move(edge.arrays.v));
  real.low = real.high = nullptr;
  if (!edge.exact && !edge.arrays.low.empty()) {
    real.low = share(std::move(edge.arrays.low));
    real.high = share(std::move(edge.arrays.high));
  }
  return real;
}

}  // namespace

std::shared_ptr<const Real> deferred(Step step) {
  for (const auto& operand : {step.a, step.b}) {
    if (operand == nullptr || !waits(*operand)) continue;
    if (operand->waiting->size != step.size || operand->waiting->depth >= deepest) {
      settled(*operand);
    } else {
      step.depth = std::max(step.depth, operand->waiting->depth + 1);
    }
  }
  Real real;
  real.waiting = std::make_shared<Step>(std::move(step));
  return std::make_shared<const Real>(std::move(real));
}

const Real& settled(const Real& real) {
  if (real.waiting == nullptr) return real;
  Step& step = *real.waiting;
  if (step.done.has_value()) return *step.done;
  Plan plan(real, false);
  Edge& operand = plan.operand_of_root();
  operand.wanted = step.keep_before;
  plan.run();
  Real done = taken(plan.root());
  if (step.keep_before) {
    if (operand.leaf == nullptr) {
      operand.step->done = taken(operand);
      operand.step->a = operand.step->b = nullptr;
    }
    done.before = std::make_shared<Real>(settled(*step.a));
  }
  step.done = std::move(done);
  step.a = step.b = nullptr;
  return *step.done;
}

Doubles values_of(const Real& real) {
  if (!waits(real)) return settled(real).v;
  Plan plan(real, true);
  plan.run();
  return share(std::move(plan.root().arrays.v));
}

void look_at(const Real& real, const Look& look) {
  if (waits(real)) return Plan(real, false).show(look);
  const Real& known = settled(real);
  look(0, *known.v, known.lows(), known.highs());
}

}  // namespace fusecheck::run
