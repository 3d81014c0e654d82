// kernel.yaml: everything that is to be said about one kernel, once (docs/kernels.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/candidate.hpp"
#include "fusecheck/suite.hpp"
#include "plugin/case_folder.hpp"

namespace fusecheck::plugin {

struct Contract {
  std::string source;  // its path
  std::string name;    // of the kernel; else the file's name without folder and ending
  std::string sha256;  // over what decides a verdict: op, types, direction, schedule, model, saved tensors, layouts
  std::string op;      // empty: any; "body": the one below
  std::string body;    // canonical text of the body that the kernel fuses
  std::vector<DType> dtypes;  // of the case; empty: any
  std::optional<Passes> direction;
  std::string recipe;
  std::map<std::string, std::string, std::less<>> rounds;
  std::string model;
  std::vector<std::string> saved;         // saved tensors that its backward reads
  std::vector<std::string> outputs;       // that it gives; empty: all of its direction
  std::map<std::string, FileRule> files;  // by tensor
  std::map<std::string, DType, std::less<>> tensor_dtypes;
  std::string exec, exec_batch, plugin;  // at most one of them
  std::optional<double> timeout;         // seconds
  std::optional<int> repeat;
  std::vector<SuiteTarget> targets;
};

// Usage error with FILE:LINE:COLUMN for anything that docs/kernels.md does not describe; no-verdict error: absent.
// `target` replaces model and recipe by those of that chip. Relative paths of programs and libraries are relative to
// the file.
Contract read_contract(const std::string& path, const std::string& target = {});
Contract parse_contract(std::string_view text, const std::string& source, const std::string& target = {});

// Why the kernel is not for this case, in one line; nothing where it is.
std::optional<std::string> mismatch(const Contract& contract, const CaseSpec& spec);

// Fills in what the contract says and the case leaves open: direction, types of tensors, recipe, roundings, model. Does
// nothing where mismatch() has something to say.
void declare(const Contract& contract, CaseSpec& spec);

}  // namespace fusecheck::plugin
