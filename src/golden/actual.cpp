#include "golden/actual.hpp"

#include <functional>
#include <system_error>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;
using tensor::LayoutKind;
using tensor::MemoryLayout;

// Layouts that a file without a word about its layout may be in.
const std::vector<MemoryLayout>& usual_layouts() {
  static const std::vector<MemoryLayout> layouts = {{LayoutKind::nd, 0},
                                                    {LayoutKind::nhwc, 0},
                                                    {LayoutKind::nc1hwc0, 0},
                                                    {LayoutKind::nc1hwc0, 16},
                                                    {LayoutKind::nz, 0}};
  return layouts;
}

std::string hint_for(const std::string& output, const Shape& logical, DType dtype, const MemoryLayout& used,
                     const std::function<bool(const Shape&)>& is_this) {
  for (const MemoryLayout& layout : usual_layouts()) {
    if (layout == used || !tensor::fits(layout, logical.size())) continue;
    const Shape shape = tensor::buffer_shape(layout, logical, dtype);
    if (is_this(shape)) {
      return "; it would be " + tensor::to_text(layout) + " (" + to_text(shape) + "): --layout " + output + "=" +
             tensor::to_text(layout);
    }
  }
  return {};
}

}  // namespace

MemoryLayout layout_for(const Layouts& layouts, const std::string& name, std::size_t rank) {
  const auto named = layouts.find(name);
  if (named != layouts.end()) return named->second;
  const auto all = layouts.find("");
  return all != layouts.end() && rank == 4 ? all->second : MemoryLayout{};
}

ReadOutput read_output(const fs::path& file, const std::string& output, const CaseInfo& info,
                       const MemoryLayout& layout, std::optional<DType> declared) {
  const DType dtype = info.dtypes.at(output);
  const Shape& logical = info.shapes.at(output);
  const Shape expected = tensor::buffer_shape(layout, logical, dtype);
  const std::string type_text(name_of(dtype)), path = base::quoted_path(file.string());
  if (declared && *declared != dtype) {
    usage_error("--dtype " + std::string(name_of(*declared)) + ": the case's " + output + " is " + type_text +
                "; convert the kernel's output, or make golden data with --dtype " + std::string(name_of(*declared)));
  }
  const bool bin = file.extension() == ".bin";
  Declared how;
  if (bin || dtype == DType::bf16) how.dtype = dtype;
  if (bin) how.shape = expected;
  Tensor buffer;
  try {
    buffer = read_tensor(file, how);
  } catch (const Error& error) {
    std::error_code ignored;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(file, ignored));
    const auto of_this_size = [&](const Shape& shape) {
      return bin && element_count(shape) * static_cast<std::int64_t>(size_of(dtype)) == bytes;
    };
    throw Error(error.kind(), output + ": " + error.what() + hint_for(output, logical, dtype, layout, of_this_size));
  }
  if (buffer.dtype() != dtype) {
    usage_error(output + ": " + path + " holds " + std::string(name_of(buffer.dtype())) + ", the case's " + output +
                " is " + type_text + "; convert the kernel's output, or make golden data of that type");
  }
  if (buffer.shape() != expected) {
    const std::string hint =
        hint_for(output, logical, dtype, layout, [&](const Shape& shape) { return shape == buffer.shape(); });
    usage_error(output + ": " + path + " holds " + to_text(buffer.shape()) + ", the case's " + output + " is " +
                to_text(expected) + (layout == MemoryLayout{} ? "" : " in " + tensor::to_text(layout)) + hint);
  }
  tensor::FromBuffer read = tensor::from_buffer(buffer, layout, logical, path);
  ReadOutput result{std::move(read.logical)};
  if (!read.dirty.empty()) {
    std::string index;
    for (const std::int64_t i : index_of(read.dirty.front(), expected)) {
      index += (index.empty() ? "" : ",") + std::to_string(i);
    }
    result.padding = std::to_string(read.dirty.size()) + " of " + std::to_string(read.padding) + " padding lanes of " +
                     tensor::to_text(layout) + " are not 0, first at [" + index +
                     "]: " + base::number_text(buffer.at(read.dirty.front()));
  }
  return result;
}

std::vector<std::string> output_names(const CaseSpec& spec) {
  const TensorNames names = tensor_names(spec);
  std::vector<std::string> outputs;
  if (spec.passes != Passes::backward) outputs = names.outputs;
  if (spec.passes != Passes::forward) outputs.insert(outputs.end(), names.gradients.begin(), names.gradients.end());
  return outputs;
}

Files find_outputs(const fs::path& folder, const std::vector<std::string>& outputs) {
  std::error_code error;
  if (!fs::exists(folder, error)) no_verdict_error(folder.string() + ": no such file or folder");
  Files files;
  for (const std::string& output : outputs) {
    for (const std::string& name : {output + ".npy", output + ".bin", "out/" + output + ".npy",
                                    "out/" + output + ".bin", "output/output_" + output + ".bin"}) {
      const fs::path file = folder / name;
      if (!fs::exists(file, error)) continue;
      const auto [place, fresh] = files.emplace(output, file);
      if (!fresh) {
        usage_error(output + ": is there twice, " + base::quoted_path(place->second.string()) + " and " +
                    base::quoted_path(file.string()) + "; remove the stale one");
      }
    }
  }
  return files;
}

}  // namespace fusecheck::golden
