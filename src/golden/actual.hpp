// A kernel's outputs from its files: layouts undone, sizes and types held against the case.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/case_info.hpp"
#include "fusecheck/tensor.hpp"
#include "tensor/memory_layout.hpp"

namespace fusecheck::golden {

// Output -> file.
using Files = std::map<std::string, std::filesystem::path>;

// By output; "" is for every output of rank 4 that is not named.
using Layouts = std::map<std::string, tensor::MemoryLayout>;
tensor::MemoryLayout layout_for(const Layouts& layouts, const std::string& tensor, std::size_t rank);

struct ReadOutput {
  Tensor tensor;             // logical
  std::string padding = {};  // "3 padding lanes of nc1hwc0 are not 0, first at [0,0,0,0,3]"; empty: all are 0
};

// One output, .npy in the layout's shape or .bin of its size. `declared`: what a .bin holds, where the user says so.
// Usage error: another type, size or shape (with the layout that has this one, if there is one), a malformed file.
// No-verdict error: absent.
ReadOutput read_output(const std::filesystem::path& file, const std::string& output, const CaseInfo& info,
                       const tensor::MemoryLayout& layout, std::optional<DType> declared);

// What the case's outputs are called: y ..., then dx ..., as its direction asks.
std::vector<std::string> output_names(const CaseSpec& spec);

// For each output NAME what a folder holds of NAME.npy, NAME.bin, out/NAME.npy, out/NAME.bin and output/output_NAME.bin
// (an exported case folder, where the kernel has run, is such a folder). Usage error: two of them are there. No-verdict
// error: the folder is absent.
Files find_outputs(const std::filesystem::path& folder, const std::vector<std::string>& outputs);

}  // namespace fusecheck::golden
