#include "golden/export.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "check/folded_inputs.hpp"
#include "fusecheck/error.hpp"
#include "golden/files.hpp"
#include "golden/tree.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

void require_reviewed(const Manifest& manifest, const GoldenCase& derived) {
  for (const Entry& entry : derived.manifest.tensors) {
    const Entry* held = manifest.find(entry.name);
    if (held != nullptr && held->sha256 == entry.sha256) continue;
    no_verdict_error("golden case " + manifest.case_line + ": " + entry.name +
                     " derives to other bits than case.json names; see 'fusecheck golden check'");
  }
}

std::string recipe_of(const Manifest& manifest, const std::optional<std::string>& wanted) {
  std::vector<std::string> names;
  for (const auto& [name, limits] : manifest.limits) names.push_back(name);
  const std::string name = wanted.value_or(manifest.limits.contains("epilogue") ? "epilogue" : names.front());
  if (manifest.limits.contains(name)) return name;
  usage_error("--recipe " + base::quoted(name) + ": case " + manifest.case_line + " has " + base::join(names, ", ") +
              base::hint(name, names));
}

Exported exported_of(const std::string& name, const Tensor& tensor, const Layouts& layouts) {
  const tensor::MemoryLayout layout = layout_for(layouts, name, tensor.shape().size());
  return {name, tensor::to_buffer(tensor, layout), layout, tensor.shape()};
}

void require_known_layouts(const ExportedCase& exported, const Layouts& layouts) {
  std::vector<std::string> names;
  for (const Exported& one : exported.inputs) names.push_back(one.name);
  for (const Exported& one : exported.backward) names.push_back(one.name);
  if (exported.upstream) names.push_back(exported.upstream->name);
  for (const Exported& one : exported.saved) names.push_back(one.name);
  for (const ExportedOutput& one : exported.outputs) names.push_back(one.truth.name);
  for (const auto& [name, layout] : layouts) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
    usage_error("--layout " + name + "=" + tensor::to_text(layout) + ": the export has " + base::join(names, ", ") +
                base::hint(name, names));
  }
}

}  // namespace

ExportedCase prepare_export(const fs::path& folder, const ExportOptions& options) {
  const Manifest manifest = trusted_manifest(folder);
  const CaseSpec spec = parse_case(manifest.case_line);
  const GoldenCase derived = derive_again(folder, manifest, options.execution);
  require_reviewed(manifest, derived);
  ExportedCase exported;
  exported.manifest = manifest;
  exported.recipe = recipe_of(manifest, options.recipe);
  const TensorNames names = tensor_names(spec);
  Tensors inputs;
  for (const std::string& name : names.inputs) inputs[name] = derived.tensors.at("in/" + name);
  const Tensors folded = folded_inputs(spec, inputs, exported.recipe);
  // Where only the weights have a name (LayerNormProjection), the kernel folds them itself.
  if (!folded.contains("w_folded") || !folded.contains("b_folded")) {
    for (const std::string& name : names.inputs) {
      exported.inputs.push_back(exported_of(name, inputs.at(name), options.layouts));
    }
  } else {
    // The forward has no use for the filter, its bias and the statistics any more; x and a residual stay.
    for (const std::string& name : names.inputs) {
      const bool stays = inputs.at(name).shape().size() == 4 && name != "w";
      (stays ? exported.inputs : exported.backward).push_back(exported_of(name, inputs.at(name), options.layouts));
    }
    for (const char* name : {"w_folded", "b_folded"}) {
      exported.inputs.push_back(exported_of(name, folded.at(name), options.layouts));
    }
  }
  const bool forward_only = spec.passes == Passes::forward;
  if (forward_only) exported.backward.clear();
  const auto dy = derived.tensors.find("in/" + names.upstream);
  if (dy != derived.tensors.end()) exported.upstream = exported_of(names.upstream, dy->second, options.layouts);
  for (const std::string& name : names.saved) {
    const auto saved = derived.tensors.find("saved/" + name);
    if (saved != derived.tensors.end()) exported.saved.push_back(exported_of(name, saved->second, options.layouts));
  }
  for (const std::string& name : output_names(spec)) {
    const auto part = [&](const std::string& which) {
      return exported_of(name, derived.tensors.at("recipe/" + exported.recipe + "/" + which + "/" + name),
                         options.layouts);
    };
    const bool gradient = std::find(names.gradients.begin(), names.gradients.end(), name) != names.gradients.end();
    exported.outputs.push_back({part("truth"), part("low"), part("high"), gradient});
  }
  require_known_layouts(exported, options.layouts);
  return exported;
}

std::string hash_list(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = fs::relative(entry.path(), folder).generic_string();
    lines.push_back(path + "\n" + sha256_of(read_whole(entry.path())));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t end = line.find('\n');
    text += line.substr(end + 1) + "  " + line.substr(0, end) + "\n";
  }
  return text;
}

std::string numpy_name(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "float64";
    case DType::f32:
      return "float32";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::i64:
      return "int64";
    case DType::i32:
      return "int32";
    case DType::u8:
      return "uint8";
    case DType::boolean:
      return "bool";
  }
  internal_error("a dtype without a numpy name");
}

}  // namespace fusecheck::golden
