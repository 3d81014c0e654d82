#include "run/memo.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fusecheck::run {
namespace {

// The same bits (so that -0 and 0, or NaNs, are never mixed up).
bool same(const Doubles& a, const Doubles& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->size() != b->size()) return false;
  return std::memcmp(a->data(), b->data(), a->size() * sizeof(double)) == 0;
}

template <class Record>
const Calibration* known(const Record& record, const Accumulator& accumulator) {
  for (const auto& [key, calibration] : record.calibrations) {
    if (key == accumulator) return &calibration;
  }
  return nullptr;
}

// Terms that calibrating one plain sum may cost, and the least number of groups it looks at all the same.
constexpr std::int64_t most_terms = 1 << 16;
constexpr std::int64_t least_groups = 16;

}  // namespace

std::vector<float> to_floats(const std::vector<double>& values) {
  std::vector<float> floats(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) floats[i] = static_cast<float>(values[i]);
  return floats;
}

std::vector<float> to_floats(const Doubles& values) {
  return values == nullptr ? std::vector<float>{} : to_floats(*values);
}

ContractionRecord& Memo::contraction(const engine::Contraction& problem, const Doubles& a, const Doubles& b,
                                     const Doubles& bias) {
  for (const auto& record : contractions_) {
    if (record->problem == problem && same(record->a, a) && same(record->b, b) && same(record->bias, bias))
      return remember(*record);
  }
  auto record = std::make_unique<ContractionRecord>();
  record->problem = problem;
  record->a = a;
  record->b = b;
  record->bias = bias;
  record->v = share(summed(*record));
  contractions_.push_back(std::move(record));
  return remember(*contractions_.back());
}

// In f64; in f32 where that rounds nothing: all partial sums are multiples of a step that f32 holds, and below 2^24 of
// them.
std::vector<double> Memo::summed(ContractionRecord& record) const {
  const Grid& known = grid(record);
  constexpr double smallest = 0x1p-149, margin = 1 + 0x1p-20;
  if (known.step >= smallest && known.largest * margin < std::min(known.step * 0x1p24, 0x1p127)) {
    narrow(record);
    const std::vector<float> v =
        engine::contract(record.problem, record.a32, record.b32, record.bias32, engine::Arithmetic{}, execution_);
    return {v.begin(), v.end()};
  }
  const std::span<const double> start =
      record.bias == nullptr ? std::span<const double>{} : std::span<const double>(*record.bias);
  return engine::contract_f64(record.problem, *record.a, *record.b, start, execution_);
}

void Memo::narrow(ContractionRecord& record) const {
  if (!record.a32.empty()) return;
  record.a32 = to_floats(record.a);
  record.b32 = to_floats(record.b);
  record.bias32 = to_floats(record.bias);
}

const Grid& Memo::grid(ContractionRecord& record) {
  if (record.grid.has_value()) return *record.grid;
  Grid grid;
  grid.step = granularity(*record.a) * granularity(*record.b);
  grid.largest =
      static_cast<double>(record.problem.terms()) * largest_magnitude(*record.a) * largest_magnitude(*record.b);
  if (record.bias != nullptr) {
    grid.step = grid.step > 0 ? std::min(grid.step, granularity(*record.bias)) : 0;
    grid.largest += largest_magnitude(*record.bias);
  }
  record.grid = grid;
  return *record.grid;
}

void Memo::measure(ContractionRecord& record) const {
  if (!record.s.empty()) return;
  narrow(record);
  record.s = engine::absolute_sum(record.problem, record.a32, record.b32, record.bias32, execution_);
}

const Calibration& Memo::calibration(ContractionRecord& record, const Accumulator& accumulator,
                                     const NumericModel& declared) {
  if (const Calibration* found = known(record, accumulator)) return *found;
  measure(record);
  record.calibrations.emplace_back(accumulator, calibrate(record.problem, record.a32, record.b32, record.bias32,
                                                          *record.v, record.s, accumulator, declared, execution_));
  return record.calibrations.back().second;
}

SumRecord& Memo::sum(const Shape& shape, const std::vector<int>& axes, const Doubles& x) {
  for (const auto& record : sums_) {
    if (record->shape == shape && record->axes == axes && same(record->x, x)) return *record;
  }
  const SumLayout layout = sum_layout(shape, axes);
  std::vector<double> v(static_cast<std::size_t>(layout.groups));
  std::vector<double> s(v.size());
  for (std::size_t group = 0; group < v.size(); ++group) {
    double total = 0;
    double absolute = 0;
    const double* base = x->data() + layout.group_base[group];
    for (const std::int64_t offset : layout.term_offset) {
      total += base[offset];
      absolute += std::fabs(base[offset]);
    }
    v[group] = total;
    s[group] = absolute;
  }
  auto record = std::make_unique<SumRecord>();
  record->shape = shape;
  record->axes = axes;
  record->x = x;
  record->v = share(std::move(v));
  record->s = share(std::move(s));
  sums_.push_back(std::move(record));
  return *sums_.back();
}

const Calibration& Memo::calibration(SumRecord& record, const Accumulator& accumulator) {
  if (const Calibration* found = known(record, accumulator)) return *found;
  const SumLayout layout = sum_layout(record.shape, record.axes);
  const std::int64_t wanted = std::max(least_groups, most_terms / std::max<std::int64_t>(1, layout.terms));
  const std::int64_t step = std::max<std::int64_t>(1, layout.groups / wanted);
  std::vector<std::vector<float>> terms;
  for (std::int64_t group = 0; group < layout.groups; group += step) {
    std::vector<float> row;
    row.reserve(layout.term_offset.size());
    const double* base = record.x->data() + layout.group_base[static_cast<std::size_t>(group)];
    for (const std::int64_t offset : layout.term_offset) row.push_back(static_cast<float>(base[offset]));
    terms.push_back(std::move(row));
  }
  record.calibrations.emplace_back(accumulator, calibrate_sums(terms, layout.terms, accumulator));
  return record.calibrations.back().second;
}

}  // namespace fusecheck::run
