// Reads the PyTorch fixtures under tests/fixtures (written by the make_*.py there).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck::testing {

struct Fixture {
  std::string name;  // "ConvBnRelu/strided_train"
  std::string op;
  Attrs attrs;
  bool training = false;                  // attrs: bn is 1
  Tensors tensors;                        // inputs, outputs and, for some, S_<output>, all f64
  std::vector<std::string> outputs = {};  // named in case.txt; empty: whatever has an S_<name>
};

// The folder tests/fixtures/<op>/<case>.
Fixture read_fixture(const std::filesystem::path& folder);

// Every fixture that is committed, sorted by name.
std::vector<Fixture> all_fixtures();

// What the op puts out, by name.
std::vector<std::string> output_names(const Fixture& fixture);
// The others: what goes in, dy included.
std::vector<std::string> input_names(const Fixture& fixture);

}  // namespace fusecheck::testing
