// The manual-data tree of CANN's operator test kit (docs/Manual_Data_Prepare_and_Replay.md of hicann/ops-test-kit): a
// folder a test case that holds headerless files of fixed names and nothing else; everything of ours lies beside.
#include "base/text.hpp"
#include "golden/export.hpp"
#include "golden/files.hpp"
#include "golden/tree.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

std::string dims(const Shape& shape) { return shape.empty() ? "scalar" : to_text(shape); }

// A tuple as Python spells it: one element has a comma.
std::string tuple(const std::vector<std::string>& parts) {
  std::string text = "(";
  for (const std::string& part : parts) text += (text.size() > 1 ? "," : "") + part;
  return text + (parts.size() == 1 ? ",)" : ")");
}

std::string tuple(const Shape& shape) {
  std::vector<std::string> parts;
  for (const std::int64_t n : shape) parts.push_back(std::to_string(n));
  return tuple(parts);
}

std::string quoted_cell(const std::string& text) { return "\"" + text + "\""; }

std::string format_of(const Exported& one) {
  switch (one.layout.kind) {
    case tensor::LayoutKind::nhwc:
      return "NHWC";
    case tensor::LayoutKind::nc1hwc0:
      return "NC1HWC0";
    case tensor::LayoutKind::nz:
      return "FRACTAL_NZ";
    case tensor::LayoutKind::nchw:
      return "NCHW";
    case tensor::LayoutKind::nd:
      break;
  }
  return one.logical.size() == 4 ? "NCHW" : "ND";
}

struct Columns {
  std::vector<std::string> shapes, types, formats;
  void add(const Exported& one) {
    shapes.push_back(tuple(one.buffer.shape()));
    types.push_back("'" + numpy_name(one.buffer.dtype()) + "'");
    formats.push_back("'" + format_of(one) + "'");
  }
  std::string cells() const {
    return quoted_cell(tuple(shapes)) + "," + quoted_cell(tuple(types)) + "," + quoted_cell(tuple(formats));
  }
};

std::string attributes_text(const Attrs& attrs) {
  std::string text = "{";
  for (const auto& [name, value] : attrs.all()) {
    std::vector<std::string> parts;
    for (const double number : value) parts.push_back(base::number_text(number));
    text += (text.size() > 1 ? "," : "") + ("'" + name + "':" + tuple(parts));
  }
  return text + "}";
}

void write_bin(const fs::path& file, const Tensor& buffer) {
  write_text(file, {reinterpret_cast<const char*>(buffer.bytes().data()), buffer.bytes().size()});
}

std::string write_test_case(const ExportedCase& exported, const fs::path& root, const std::string& name,
                            const std::vector<const Exported*>& inputs, const std::vector<const Exported*>& goldens) {
  make_folders(root);
  Unfinished work(root / name);
  Columns in, out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& buffer = inputs[i]->buffer;
    write_bin(work.path() / ("input_" + std::to_string(i) + "_" + numpy_name(buffer.dtype()) + ".bin"), buffer);
    in.add(*inputs[i]);
  }
  for (std::size_t i = 0; i < goldens.size(); ++i) {
    const Tensor& buffer = goldens[i]->buffer;
    write_bin(work.path() / ("golden_" + std::to_string(i) + "_" + numpy_name(buffer.dtype()) + "__shape_" +
                             dims(buffer.shape()) + ".bin"),
              buffer);
    out.add(*goldens[i]);
  }
  work.finish();
  const bool backward = name.ends_with("_bwd");
  return name + "," + exported.manifest.op + (backward ? "Grad" : "") + "," + in.cells() + "," + out.cells() + "," +
         quoted_cell(attributes_text(exported.manifest.attributes)) + "\n";
}

}  // namespace

std::string ttk_csv_heading() {
  return "testcase_name,op_name,input_shapes,input_dtypes,input_formats,output_shapes,output_dtypes,output_formats,"
         "attributes\n";
}

std::vector<std::string> export_ttk(const ExportedCase& exported, const fs::path& root) {
  // [A-Za-z0-9_.-], at most 120 characters; the hash keeps what was cut apart.
  std::string base = folder_of(parse_case(exported.manifest.case_line));
  for (char& c : base) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  if (base.size() > 116) base = base.substr(0, 106) + "__" + base.substr(base.size() - 8);
  std::vector<const Exported*> inputs, backward_inputs, outputs, gradients;
  for (const Exported& one : exported.inputs) inputs.push_back(&one);
  if (exported.upstream) backward_inputs.push_back(&*exported.upstream);
  backward_inputs.insert(backward_inputs.end(), inputs.begin(), inputs.end());
  for (const Exported& one : exported.backward) backward_inputs.push_back(&one);
  for (const Exported& one : exported.saved) backward_inputs.push_back(&one);
  for (const ExportedOutput& one : exported.outputs) (one.gradient ? gradients : outputs).push_back(&one.truth);
  std::vector<std::string> lines;
  if (!outputs.empty()) lines.push_back(write_test_case(exported, root, base + "_fwd", inputs, outputs));
  if (!gradients.empty()) lines.push_back(write_test_case(exported, root, base + "_bwd", backward_inputs, gradients));
  return lines;
}

}  // namespace fusecheck::golden
