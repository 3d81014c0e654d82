// The onnx export: a folder as ONNX's own backend tests are (onnx/backend/test/data/node/*), for any runtime.
#include "check/case_info.hpp"
#include "exchange/onnx_model.hpp"
#include "fusecheck/error.hpp"
#include "golden/export.hpp"
#include "golden/files.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

void require_forward(const ExportedCase& exported, const std::vector<std::string>& inputs) {
  const std::string& line = exported.manifest.case_line;
  if (exported.outputs.empty() || exported.outputs.front().gradient) {
    usage_error("--format onnx: case " + line +
                " is the backward alone, and the export holds forwards; make one with " + "--direction fwd or both");
  }
  if (exported.inputs.size() != inputs.size()) {
    usage_error("--format onnx: recipe " + exported.recipe + " of case " + line +
                " reads folded weights, and the model those of the op; choose another --recipe");
  }
}

}  // namespace

void export_onnx(const ExportedCase& exported, const fs::path& folder) {
  const CaseSpec spec = parse_case(exported.manifest.case_line);
  const CaseInfo info = case_info(spec);
  const TensorNames names = tensor_names(spec);
  require_forward(exported, names.inputs);
  exchange::OnnxModel model = exchange::onnx_model(
      {*info.op, spec.dtype, exported.manifest.attributes, info.shapes, info.dtypes, names.inputs, names.outputs});
  model.doc = exported.manifest.case_line;
  make_folders(folder.parent_path());
  Unfinished work(folder);
  const fs::path data = work.path() / "test_data_set_0";
  make_folders(data);
  write_text(work.path() / "model.onnx", exchange::onnx_bytes(model));
  std::size_t i = 0;
  for (const Exported& one : exported.inputs) {
    write_text(data / ("input_" + std::to_string(i++) + ".pb"), exchange::onnx_tensor_bytes(one.name, one.buffer));
  }
  i = 0;
  for (const ExportedOutput& one : exported.outputs) {
    if (one.gradient) continue;
    write_text(data / ("output_" + std::to_string(i++) + ".pb"),
               exchange::onnx_tensor_bytes(one.truth.name, one.truth.buffer));
  }
  write_text(work.path() / "SHA256SUMS", hash_list(work.path()));
  work.finish();
}

}  // namespace fusecheck::golden
