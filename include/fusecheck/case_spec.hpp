// A case: one line of text that says everything a check depends on, and round-trips.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/dtype.hpp"
#include "fusecheck/numeric_model.hpp"
#include "fusecheck/op.hpp"
#include "fusecheck/shape.hpp"

namespace fusecheck {

enum class Passes : std::uint8_t { forward, backward, both };

struct CaseSpec {
  std::string op;                                               // "body": the user's own, below
  DType dtype = DType::f16;
  std::optional<DType> param_dtype;                             // J1
  std::map<std::string, DType, std::less<>> tensor_dtypes = {}; // --dtype f16,gamma=f16
  Shapes shapes = {};                                           // as given; "x" at least
  Attrs attrs = {};                                             // as given, defaults left out; "bn" 1 = train
  bool bias = false;
  Passes passes = Passes::both;
  std::vector<DataSet> data = {DataSet::exact, DataSet::random, DataSet::stress};
  std::uint64_t seed = 1;
  bool dy_ones = false;
  std::string recipe = {};                                      // empty: the default (epilogue; `any` for a candidate)
  std::map<std::string, std::string, std::less<>> rounds = {};  // --round conv=f16
  NumericModel model = {};
  std::string body = {};     // canonical text (graph::to_text) of a body that the user wrote
  bool model_given = false;  // the user named it: no other accumulator explains a candidate (J4)
};

// "ConvBnRelu/f16/x=1x64x56x56/oc=64,kernel=3x3/random/s1": slash-separated, defaults left out, no spaces or quotes.
std::string to_line(const CaseSpec& spec);
CaseSpec parse_case(std::string_view line);  // usage error otherwise; parse_case(to_line(s)) gives s back
std::string name_of(DataSet set);
DataSet parse_data_set(std::string_view text);

}  // namespace fusecheck
