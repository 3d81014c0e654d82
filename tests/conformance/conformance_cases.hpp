// What the conformance tests iterate over: the registry, so that a new op is covered without being told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "fusecheck/check.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "run/run.hpp"

namespace fusecheck::testing {

struct OpAndType {
  const OpDef* op;
  DType dtype;
};

inline void PrintTo(const OpAndType& value, std::ostream* out) {
  *out << value.op->name << " " << name_of(value.dtype);
}

inline std::string case_name(const ::testing::TestParamInfo<OpAndType>& tested) {
  return tested.param.op->name + "_" + std::string(name_of(tested.param.dtype));
}

inline std::vector<OpAndType> ops_by_type(bool fused_only) {
  std::vector<OpAndType> all;
  for (const OpDef& op : all_ops()) {
    if (fused_only && !op.fused()) continue;
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) all.push_back({&op, dtype});
  }
  return all;
}

// Gives the op's first input that shape, or the nearest one that the op takes: an even last number, fewer numbers, one
// number more (volumes), ones in front (heads).
inline void set_shape(CaseSpec& spec, const OpDef& op, Shape shape) {
  const std::string first = graph::interface_of(op).inputs.at(0).name;
  Shape even = shape, volume = shape;
  even.back() += even.back() % 2;
  volume.push_back(4);
  Shape heads = shape;
  while (heads.size() < 4) heads.insert(heads.begin(), 1);
  for (Shape tried : {shape, even, volume, heads}) {
    for (; tried.size() > 1; tried.pop_back()) {
      spec.shapes[first] = tried;
      try {
        run::make_context(spec);
        return;
      } catch (const Error&) {
      }
    }
  }
  ADD_FAILURE() << op.name << " takes no shape like " << to_text(shape);
}

inline bool has_batch_norm(const OpDef& op) {
  const std::vector<AttrSpec> attrs = graph::interface_of(op).attrs;
  return std::any_of(attrs.begin(), attrs.end(), [](const AttrSpec& attr) { return attr.name == "bn"; });
}

inline CheckReport run_check(const CaseSpec& spec, Tensors inputs = {}) {
  CheckRequest request;
  request.spec = spec;
  request.inputs = std::move(inputs);
  request.keep_tensors = true;
  return check(request);
}

// One data set of a case as check() draws it: dy is 0 where the sign in front of a relu is open (NUMERICS.md J9).
struct DrawnCase {
  std::string line;
  run::Context context;
  Tensors inputs;
};

inline DrawnCase draw_case(CaseSpec spec, DataSet set) {
  spec.data = {set};
  DrawnCase drawn;
  drawn.line = to_line(spec);
  drawn.context = run::make_context(spec, set == DataSet::exact);
  const CheckReport report = run_check(spec);
  const std::string prefix = "inputs.";
  for (const auto& [name, tensor] : report.sets.at(0).tensors) {
    if (name.starts_with(prefix)) drawn.inputs[name.substr(prefix.size())] = tensor;
  }
  return drawn;
}

}  // namespace fusecheck::testing
