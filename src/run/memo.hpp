// Contractions already done on the same operands. The schedules of one case share most of theirs, and a third party can
// replay what is here.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/contraction.hpp"
#include "run/calibrate.hpp"
#include "run/real.hpp"

namespace fusecheck::run {

// What the operands alone say of a sum's exactness.
struct Grid {
  double step = 0;     // all products and the bias are multiples of it; 0: no such step is known
  double largest = 0;  // no sum of |terms| exceeds it; infinite where an operand is
};

// The interval of a contraction whose operands every legal kernel holds exactly.
struct OwnInterval {
  Accumulator accumulator;
  bool flushes = false;
  Real real;
};

struct ContractionRecord {
  engine::Contraction problem;
  Doubles a, b, bias;                   // bias may be null
  std::vector<float> a32, b32, bias32;  // the operands again, once an f32 pass was asked for
  Doubles v;                            // f64 truth
  std::vector<float> s;                 // Σ|terms|; empty until asked for
  std::optional<Grid> grid;
  std::vector<std::pair<Accumulator, Calibration>> calibrations;
  std::vector<OwnInterval> intervals;
};

struct SumRecord {
  Shape shape;
  std::vector<int> axes;
  Doubles x, v, s;
  std::vector<std::pair<Accumulator, Calibration>> calibrations;
};

class Memo {
 public:
  explicit Memo(engine::Execution execution) : execution_(execution) {}
  const engine::Execution& execution() const { return execution_; }
  ContractionRecord& contraction(const engine::Contraction& problem, const Doubles& a, const Doubles& b,
                                 const Doubles& bias);
  // Fills record.a32, b32 and bias32.
  void narrow(ContractionRecord& record) const;
  // Fills record.s.
  void measure(ContractionRecord& record) const;
  static const Grid& grid(ContractionRecord& record);
  const Calibration& calibration(ContractionRecord& record, const Accumulator& accumulator,
                                 const NumericModel& declared);
  SumRecord& sum(const Shape& shape, const std::vector<int>& axes, const Doubles& x);
  const Calibration& calibration(SumRecord& record, const Accumulator& accumulator);
  // What was asked for since the last start_trace(), in order: the contractions of one run.
  void start_trace() { trace_.clear(); }
  const std::vector<ContractionRecord*>& trace() const { return trace_; }

 private:
  std::vector<double> summed(ContractionRecord& record) const;
  ContractionRecord& remember(ContractionRecord& record) {
    trace_.push_back(&record);
    return record;
  }
  engine::Execution execution_;
  std::vector<std::unique_ptr<ContractionRecord>> contractions_;
  std::vector<std::unique_ptr<SumRecord>> sums_;
  std::vector<ContractionRecord*> trace_;
};

std::vector<float> to_floats(const std::vector<double>& values);
std::vector<float> to_floats(const Doubles& values);  // empty for null

}  // namespace fusecheck::run
