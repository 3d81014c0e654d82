// golden export: a case as files for machines that have no fusecheck.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "golden/actual.hpp"
#include "golden/golden_case.hpp"

namespace fusecheck::golden {

struct ExportOptions {
  std::string format = "npy";         // npy, ascendc, ttk, onnx
  Layouts layouts;                    // of the files; "" for every tensor of rank 4 that is not named
  std::optional<std::string> recipe;  // whose truth is golden; else epilogue, or the only one
  Execution execution;
};

// One tensor to write: as the kernel's buffer, and what it means.
struct Exported {
  std::string name;  // x, dy, w_folded, mask
  Tensor buffer;
  tensor::MemoryLayout layout;
  Shape logical;
};
struct ExportedOutput {
  Exported truth, low, high;
  bool gradient = false;
};
struct ExportedCase {
  Manifest manifest;
  std::string recipe;
  std::vector<Exported> inputs;      // of the forward in the op's order; `fold`: x, then w_folded and b_folded
  std::vector<Exported> backward;    // `fold`: the parameters before folding, which only gradients need
  std::optional<Exported> upstream;  // dy
  std::vector<Exported> saved;
  std::vector<ExportedOutput> outputs;
};

// Derives the case and holds every tensor against the manifest, so that what is exported is what was reviewed.
// No-verdict error: a hash differs. Usage error: no such recipe, a layout for a tensor that is not there.
ExportedCase prepare_export(const std::filesystem::path& case_folder, const ExportOptions& options);

// Each writes one case to a new folder (ttk: cases to new folders below, see export_ttk.cpp) and returns the files.
void export_npy(const ExportedCase& exported, const std::filesystem::path& folder);
void export_ascendc(const ExportedCase& exported, const std::filesystem::path& folder);
// Returns the lines of cases.csv for the forward and the backward test case.
std::vector<std::string> export_ttk(const ExportedCase& exported, const std::filesystem::path& root);
std::string ttk_csv_heading();

// model.onnx, the forward of the case as ONNX operators, and test_data_set_0/input_0.pb ..., output_0.pb ... Gradients
// are no part of it. Usage error: a case of the backward alone, recipe `fold` (its inputs are not the op's), a
// primitive that ONNX cannot say.
void export_onnx(const ExportedCase& exported, const std::filesystem::path& folder);

// "SHA256  path" of every file below the folder, sorted: what sha256sum -c reads.
std::string hash_list(const std::filesystem::path& folder);
std::string numpy_name(DType dtype);  // float16, bfloat16 ...

// A Python script of 30 lines that needs numpy only: every output between low and high. A smoke test, not a verdict.
std::string_view smoke_check_script();

}  // namespace fusecheck::golden
