#include "cli/files.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "check/case_info.hpp"
#include "fusecheck/error.hpp"

namespace fusecheck::cli {
namespace {

namespace fs = std::filesystem;
using Paths = std::map<std::string, fs::path>;

struct Found {
  Paths files;                     // by tensor
  std::vector<std::string> notes;  // what lay beside them
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_tensor_file(const fs::path& path) { return path.extension() == ".npy" || path.extension() == ".bin"; }

void add(Paths& files, const std::string& tensor, const fs::path& path, const std::string& flag) {
  const auto [place, fresh] = files.emplace(tensor, path);
  if (!fresh) {
    usage_error(flag + ": tensor " + tensor + " is given twice: " + base::quoted_path(place->second.string()) +
                " and " + base::quoted_path(path.string()));
  }
}

void add_folder(Found& found, const fs::path& folder, const std::vector<std::string>& tensors,
                const std::string& flag) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    no_verdict_error(flag + " " + base::quoted_path(folder.string()) + ": no such file or folder");
  if (!fs::is_directory(status)) {
    usage_error(flag + " " + base::quoted_path(folder.string()) + " is a file: say which tensor it holds, as in " +
                flag + " " + tensors.front() + "=" + folder.string());
  }
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_tensor_file(entry->path())) entries.push_back(entry->path());
  }
  if (error) no_verdict_error(flag + " " + base::quoted_path(folder.string()) + " cannot be read: " + error.message());
  std::sort(entries.begin(), entries.end());
  std::vector<std::string> ignored;
  std::size_t used = 0;
  for (const fs::path& path : entries) {
    const std::string stem = path.stem().string();
    if (contains(tensors, stem)) {
      add(found.files, stem, path, flag);
      ++used;
    } else {
      ignored.push_back(path.filename().string());
    }
  }
  if (used == 0) {
    for (const char* set : {"exact", "random", "stress"}) {  // as --save and --exec lay them out
      if (!fs::is_directory(folder / set, error)) continue;
      usage_error(flag + " " + base::quoted_path(folder.string()) + " holds folders of data sets, and one is judged " +
                  "at a time: --data " + set + " " + flag + " " + base::shell_word((folder / set).string()));
    }
    usage_error(flag + " " + base::quoted_path(folder.string()) + " holds none of " + base::join(tensors, " ") +
                " as .npy or .bin: name the files after the tensors, or give NAME=FILE");
  }
  if (!ignored.empty()) found.notes.push_back(flag + " " + folder.string() + ": not used: " + base::join(ignored, " "));
}

bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos;
}

// NAME=FILE wins over a folder that holds the same tensor: replacing one file of a folder is what it is for.
Found find_files(const std::vector<std::string>& values, const std::vector<std::string>& tensors, const std::string& op,
                 const std::string& flag) {
  Found found;
  Paths named;
  for (const std::string& value : values) {
    const std::size_t sign = value.find('=');
    const std::string name = value.substr(0, sign);
    if (sign == std::string::npos || !is_name(name)) {
      add_folder(found, value, tensors, flag);
      continue;
    }
    if (!contains(tensors, name)) {
      usage_error(flag + " " + base::quoted(value) + ": " + op + " takes no tensor " + base::quoted(name) +
                  " here; it takes " + base::join(tensors, " ") + base::hint(name, tensors));
    }
    if (sign + 1 == value.size()) usage_error(flag + " " + base::quoted(value) + " names no file");
    add(named, name, value.substr(sign + 1), flag);
  }
  for (const auto& [tensor, path] : named) found.files[tensor] = path;
  return found;
}

bool has_header(const fs::path& path) { return path.extension() != ".bin"; }

// bf16 has no name in a .npy header: it is '<u2' and read as bf16 where the case says so.
Declared declared_type(DType dtype) {
  Declared declared;
  if (dtype == DType::bf16) declared.dtype = dtype;
  return declared;
}

void require_dtype(const fs::path& path, const std::string& tensor, DType holds, DType expected, const CaseSpec& spec) {
  if (holds == expected) return;
  const std::string file_type(name_of(holds)), case_type(name_of(expected));
  usage_error(base::quoted_path(path.string()) + " holds " + file_type + ", the case's " + tensor + " is " + case_type +
              " (case dtype " + std::string(name_of(spec.dtype)) + "): convert the file, or declare it with --dtype " +
              std::string(name_of(spec.dtype)) + "," + tensor + "=" + file_type);
}

void take_shape(CaseSpec& spec, const std::string& tensor, const Shape& shape, const fs::path& path) {
  const auto [place, fresh] = spec.shapes.emplace(tensor, shape);
  if (!fresh && place->second != shape) {
    usage_error("--shape " + tensor + "=" + to_text(place->second) + " contradicts " +
                base::quoted_path(path.string()) + ", which holds " + to_text(shape) + "; leave one out");
  }
}

std::string text_of(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + base::number_text(number);
  return text;
}

void take_attribute(CaseSpec& spec, const std::string& name, std::vector<double> value, const fs::path& path) {
  if (!spec.attrs.has(name)) return spec.attrs.set(name, std::move(value));
  std::vector<double> given = spec.attrs.list(name);
  if (given.size() == 1 && value.size() == 2) given.push_back(given.front());
  if (given != value) {
    usage_error("--" + name + " " + text_of(given) + " contradicts " + base::quoted_path(path.string()) +
                ", whose shape says " + text_of(value) + "; leave the flag out");
  }
}

// A convolution's weights say oc and kernel size: w is oc, c/groups, kh, kw.
void take_weights(CaseSpec& spec, const Shape& w, const fs::path& path, const TensorNames& names) {
  const std::vector<std::string>& inputs = names.inputs;
  if (w.size() != 4 || !contains(inputs, "x") || !contains(inputs, "w")) return;
  take_attribute(spec, "oc", {static_cast<double>(w[0])}, path);
  take_attribute(spec, "kernel", {static_cast<double>(w[2]), static_cast<double>(w[3])}, path);
}

void take_case_dtype(CommandLine& line, const Paths& files, const std::string& main_input) {
  CaseSpec& spec = line.request.spec;
  if (line.dtype_given || spec.tensor_dtypes.contains(main_input)) return;
  const auto found = files.find(main_input);
  if (found == files.end()) return;
  if (!has_header(found->second)) {
    usage_error(base::quoted_path(found->second.string()) + " has no header: declare its type with --dtype");
  }
  spec.dtype = read_header(found->second).dtype;
  line.dtype_given = true;
}

std::vector<std::string> accepted_inputs(const CommandLine& line, const TensorNames& names) {
  std::vector<std::string> tensors = names.inputs;
  const Passes passes = line.request.spec.passes;
  if (passes != Passes::forward) tensors.push_back(names.upstream);
  if (passes == Passes::backward) tensors.insert(tensors.end(), names.saved.begin(), names.saved.end());
  return tensors;
}

std::vector<std::string> accepted_outputs(const CommandLine& line, const TensorNames& names) {
  std::vector<std::string> tensors;
  const Passes passes = line.request.spec.passes;
  if (passes != Passes::backward) tensors = names.outputs;
  if (passes != Passes::forward) tensors.insert(tensors.end(), names.gradients.begin(), names.gradients.end());
  return tensors;
}

// A bias among the files asks for one.
void take_bias(CommandLine& line) {
  CaseSpec with_bias = line.request.spec;
  with_bias.bias = true;
  const std::vector<std::string> without = tensor_names(line.request.spec).inputs;
  for (const std::string& name : tensor_names(with_bias).inputs) {
    if (contains(without, name)) continue;
    for (const std::string& value : line.inputs) {
      const bool named = value.starts_with(name + "=");
      const bool in_folder = value.find('=') == std::string::npos && (fs::exists(fs::path(value) / (name + ".npy")) ||
                                                                      fs::exists(fs::path(value) / (name + ".bin")));
      if (named || in_folder) line.request.spec.bias = true;
    }
  }
}

Tensors read_all(const Paths& files, const CaseInfo& info, const CaseSpec& spec) {
  Tensors tensors;
  for (const auto& [tensor, path] : files) {
    const DType expected = info.dtypes.at(tensor);
    const Shape& shape = info.shapes.at(tensor);
    Declared declared = declared_type(expected);
    if (!has_header(path)) declared = {expected, shape};
    Tensor read = read_tensor(path, declared);
    require_dtype(path, tensor, read.dtype(), expected, spec);
    if (read.shape() != shape) {
      usage_error(base::quoted_path(path.string()) + " holds " + to_text(read.shape()) + ", the case's " + tensor +
                  " is " + to_text(shape));
    }
    tensors.emplace(tensor, std::move(read));
  }
  return tensors;
}

}  // namespace

std::vector<std::string> read_files(CommandLine& line) {
  CaseSpec& spec = line.request.spec;
  const std::string& op = spec.op;
  take_bias(line);
  const TensorNames names = tensor_names(spec);
  const Found inputs = find_files(line.inputs, accepted_inputs(line, names), op, "--input");
  const Found actual = find_files(line.actual, accepted_outputs(line, names), op, "--actual");
  take_case_dtype(line, inputs.files, main_input(names));

  const TensorNames typed = tensor_names(spec);
  for (const auto& [tensor, path] : inputs.files) {
    if (!has_header(path) || !contains(names.inputs, tensor)) continue;
    const FileHeader header = read_header(path, declared_type(typed.input_dtypes.at(tensor)));
    require_dtype(path, tensor, header.dtype, typed.input_dtypes.at(tensor), spec);
    if (tensor == "w" && spec.body.empty()) take_weights(spec, header.shape, path, names);
    take_shape(spec, tensor, header.shape, path);
  }
  const CaseInfo info = case_info(spec);
  line.request.inputs = read_all(inputs.files, info, spec);
  line.request.actual = read_all(actual.files, info, spec);
  std::vector<std::string> notes = inputs.notes;
  notes.insert(notes.end(), actual.notes.begin(), actual.notes.end());
  return notes;
}

}  // namespace fusecheck::cli
