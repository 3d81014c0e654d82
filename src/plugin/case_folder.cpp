#include "plugin/case_folder.hpp"

#include <algorithm>
#include <fstream>

#include "base/text.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::plugin {
namespace {

namespace fs = std::filesystem;

bool is_raw(const fs::path& path) { return path.extension() == ".bin"; }

TensorPlace place_of(const CandidateCase& one, const std::map<std::string, FileRule>& rules, const std::string& name,
                     const std::string& folder) {
  const auto rule = rules.find(name);
  TensorPlace place{name, folder + "/" + name + ".npy", one.dtypes.find(name)->second, one.shapes.find(name)->second};
  if (rule == rules.end()) return place;
  if (!rule->second.file.empty()) place.file = rule->second.file;
  place.layout = rule->second.layout;
  if (!tensor::fits(place.layout, place.shape.size())) {
    usage_error("layout " + to_text(place.layout) + " does not fit " + name + ", which is " + to_text(place.shape));
  }
  return place;
}

void write_bytes(const fs::path& file, std::span<const std::byte> bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) no_verdict_error(base::quoted_path(file.string()) + " cannot be written; is TMPDIR full?");
}

void write_tensor(const fs::path& file, const Tensor& tensor) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) no_verdict_error(base::quoted_path(file.string()) + " cannot be written: " + error.message());
  if (is_raw(file)) {
    write_bytes(file, tensor.bytes());
  } else {
    write_npy(file, tensor);
  }
}

}  // namespace

CaseFolder describe(const CandidateCase& one, const std::map<std::string, FileRule>& rules,
                    const std::vector<std::string>& outputs, const fs::path& path) {
  CaseFolder folder{path, to_line(one.spec), one.spec.op, one.spec.body, one.attrs, {}, {}};
  for (const auto& [name, tensor] : one.inputs) folder.inputs.push_back(place_of(one, rules, name, "inputs"));
  for (const std::string& name : one.outputs) {
    const bool wanted = outputs.empty() || std::find(outputs.begin(), outputs.end(), name) != outputs.end();
    if (wanted) folder.outputs.push_back(place_of(one, rules, name, "outputs"));
  }
  return folder;
}

void write_inputs(const CaseFolder& folder, const Tensors& inputs) {
  for (const TensorPlace& place : folder.inputs) {
    write_tensor(folder.path / place.file, tensor::to_buffer(inputs.find(place.name)->second, place.layout));
  }
  const std::string text = to_json(folder);
  write_bytes(folder.path / "case.json", std::as_bytes(std::span(text)));
}

void write_poison(const CaseFolder& folder, Poison poison) {
  for (const TensorPlace& place : folder.outputs) {
    Tensor tensor(place.dtype, place.stored_shape());
    fill(tensor.bytes(), place.dtype, poison);
    write_tensor(folder.path / place.file, tensor);
  }
}

void write_stored(const CaseFolder& folder, const TensorPlace& place, const Tensor& stored) {
  write_tensor(folder.path / place.file, stored);
}

Tensor read_stored(const CaseFolder& folder, const TensorPlace& place) {
  const fs::path file = folder.path / place.file;
  const Shape shape = place.stored_shape();
  Declared declared;
  if (is_raw(file)) declared = {place.dtype, shape};
  if (place.dtype == DType::bf16) declared.dtype = place.dtype;  // no .npy names it
  const auto refuse = [&](const std::string& why) {
    no_verdict_error("the kernel's " + place.name + " (" + place.file + ") " + why);
  };
  std::error_code ignored;
  if (!fs::exists(file, ignored)) refuse("is missing");
  Tensor tensor;
  try {
    tensor = read_tensor(file, declared);
  } catch (const Error& error) {
    refuse("cannot be used: " + std::string(error.what()));
  }
  if (tensor.dtype() != place.dtype) {
    refuse("is " + std::string(name_of(tensor.dtype())) + ", the case says " + std::string(name_of(place.dtype)));
  }
  if (tensor.shape() != shape) refuse("holds " + to_text(tensor.shape()) + ", the case says " + to_text(shape));
  return tensor;
}

}  // namespace fusecheck::plugin
