// The folder through which a kernel gets its inputs and gives its outputs (docs/kernels.md).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/candidate.hpp"
#include "plugin/poison.hpp"
#include "tensor/memory_layout.hpp"

namespace fusecheck::plugin {

inline constexpr const char* case_schema = "fusecheck.kernel-case/1";

// One tensor of a case, and the file that holds it.
struct TensorPlace {
  std::string name;  // "x"
  std::string file;  // below the folder: "inputs/x.npy", or .bin
  DType dtype = DType::f32;
  Shape shape;                       // logical
  tensor::MemoryLayout layout = {};  // of what the file holds

  Shape stored_shape() const { return tensor::buffer_shape(layout, shape, dtype); }
};

struct CaseFolder {
  std::filesystem::path path;
  std::string line;  // the case, one data set
  std::string op;
  std::string body;  // of an op that the user wrote down; else empty
  Attrs attrs;       // complete
  std::vector<TensorPlace> inputs, outputs;
};

// What a contract may say of a tensor's file.
struct FileRule {
  std::string file = {};  // below the folder; empty: inputs/NAME.npy or outputs/NAME.npy
  tensor::MemoryLayout layout = {};
};

// Describes the case; nothing is written. `outputs`: what the kernel gives; empty: all that the case asks for.
CaseFolder describe(const CandidateCase& one, const std::map<std::string, FileRule>& rules,
                    const std::vector<std::string>& outputs, const std::filesystem::path& path);

// Writes case.json and the inputs. No-verdict error where it cannot.
void write_inputs(const CaseFolder& folder, const Tensors& inputs);

// Writes every output anew, whole and filled with poison.
void write_poison(const CaseFolder& folder, Poison poison);

// Writes one tensor of the case, in the layout of its file.
void write_stored(const CaseFolder& folder, const TensorPlace& place, const Tensor& stored);

// A tensor as it lies in its file: stored shape, not a bit changed. No-verdict error that names the tensor and the
// file: it is absent, or does not hold what was declared.
Tensor read_stored(const CaseFolder& folder, const TensorPlace& place);

// case.json.
std::string to_json(const CaseFolder& folder);
// Internal error where the file is not what write_inputs writes.
CaseFolder read_case_folder(const std::filesystem::path& path);

}  // namespace fusecheck::plugin
