#include "golden/golden_case.hpp"

#include <algorithm>
#include <cmath>

#include "check/golden_data.hpp"
#include "fusecheck/error.hpp"
#include "fusecheck/registry.hpp"
#include "golden/files.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

void add(Tensors& all, const std::string& prefix, const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors) all[prefix + name] = tensor;
}

// Largest distance between truth and an end, in the element's type. An end at infinity counts as it is.
Limit limit_of(const Tensor& truth, const Tensor& low, const Tensor& high) {
  Limit limit;
  for (std::int64_t i = 0; i < truth.size(); ++i) {
    const double t = truth.at(i);
    for (const double end : {low.at(i), high.at(i)}) {
      if (end == t || (std::isnan(t) && std::isnan(end))) continue;
      limit.abs = std::max(limit.abs, std::fabs(end - t));
      limit.ulp = std::max(limit.ulp, ulp_distance(truth.dtype(), t, end));
    }
  }
  return limit;
}

std::map<std::string, std::string> versions_of(const CaseSpec& spec) {
  const int version = spec.body.empty() ? find_op(spec.op).version : 1;  // a body of one's own says all that it means
  return {{"op", spec.op + "/" + std::to_string(version)},
          {"data", name_of(spec.data.front()) + "/1"},
          {"kinks", "1"},
          {"rng", "philox4x32-10/1"},
          {"model", to_text(spec.model) + "/1"},
          {"reference", "f64-interval/1"}};
}

// Payload files of their own for what people look at first; the many tensors of the recipes share files where their
// bytes are equal, as all of `exact` data mostly are.
void assign_files(Manifest& manifest) {
  const auto sharing = [](const std::string& name) {
    return name.starts_with("recipe/") || name.starts_with("emulated/");
  };
  std::map<std::string, std::string> by_content;
  for (const bool shared : {false, true}) {
    for (Entry& entry : manifest.tensors) {
      const auto bytes = element_count(entry.shape) * static_cast<std::int64_t>(size_of(entry.dtype));
      const bool given = entry.name.starts_with("in/") && std::find(manifest.given.begin(), manifest.given.end(),
                                                                    entry.name.substr(3)) != manifest.given.end();
      if (sharing(entry.name) != shared || (bytes > largest_stored && !given)) continue;
      const std::string content = entry.sha256 + std::string(name_of(entry.dtype)) + to_text(entry.shape);
      const auto [place, fresh] = by_content.emplace(content, entry.name + ".npy");
      entry.file = shared ? place->second : entry.name + ".npy";
    }
  }
}

std::string file_name(std::string text) {
  for (char& c : text) {
    if (c == '=' || c == ':') c = '-';
  }
  std::string name;
  for (const char c : text) name += c == '/' ? std::string("__") : std::string(1, c);
  return name;
}

}  // namespace

CaseSpec canonical(CaseSpec spec) {
  if (spec.body.empty()) spec.op = find_op(spec.op).name;
  if (spec.data.size() != 1) {
    usage_error("case " + to_line(spec) + " names " + std::to_string(spec.data.size()) +
                " data sets; a golden case has one");
  }
  return spec;
}

GoldenCase derive(const CaseSpec& spec_as_given, const Execution& execution, const Tensors& given) {
  const CaseSpec spec = canonical(spec_as_given);
  const GoldenData data = golden_data(spec, execution.threads, execution.simd, given);
  GoldenCase golden;
  Manifest& manifest = golden.manifest;
  add(golden.tensors, "in/", data.inputs);
  add(golden.tensors, "saved/", data.saved);
  add(golden.tensors, "truth/", data.body);
  for (const GoldenRecipe& recipe : data.recipes) {
    const std::string name = file_name(recipe.name);
    add(golden.tensors, "recipe/" + name + "/truth/", recipe.truth);
    add(golden.tensors, "recipe/" + name + "/low/", recipe.low);
    add(golden.tensors, "recipe/" + name + "/high/", recipe.high);
    add(golden.tensors, "emulated/" + name + "/", recipe.emulated);
    for (const auto& [output, truth] : recipe.truth) {
      manifest.limits[name][output] = limit_of(truth, recipe.low.at(output), recipe.high.at(output));
    }
  }
  manifest.case_line = to_line(spec);
  manifest.op = spec.op;
  manifest.attributes = data.attrs;
  manifest.kinks_zeroed = data.kinks_zeroed;
  manifest.versions = versions_of(spec);
  for (const auto& [name, tensor] : given) manifest.given.push_back(name);
  if (!given.empty()) manifest.versions["data"] = "files+" + manifest.versions["data"];
  for (const auto& [name, tensor] : golden.tensors) {
    manifest.tensors.push_back({name, tensor.dtype(), tensor.shape(), sha256(tensor), ""});
  }
  assign_files(manifest);
  return golden;
}

Tensors given_inputs(const fs::path& folder, const Manifest& manifest) {
  Tensors given;
  for (const std::string& name : manifest.given) {
    const Entry* entry = manifest.find("in/" + name);
    if (entry == nullptr || entry->file.empty()) {
      no_verdict_error("golden case " + manifest.case_line + ": case.json says that " + name +
                       " is given, and names no file for it");
    }
    given[name] = read_stored(folder, manifest, *entry);
  }
  return given;
}

GoldenCase derive_again(const fs::path& folder, const Manifest& manifest, const Execution& execution) {
  GoldenCase golden = derive(parse_case(manifest.case_line), execution, given_inputs(folder, manifest));
  golden.manifest.tolerance = manifest.tolerance;
  golden.manifest.max_diff = manifest.max_diff;
  return golden;
}

std::string folder_of(const CaseSpec& spec) {
  constexpr std::size_t longest = 96;
  const std::string line = to_line(spec);
  const std::string rest = file_name(line.substr(spec.op.size() + 1)).substr(0, longest);
  return spec.op + "/" + rest + "__" + sha256_of(line).substr(0, 8);
}

void write_case(const GoldenCase& golden, const fs::path& folder) {
  make_folders(folder.parent_path());
  Unfinished work(folder);
  for (const Entry& entry : golden.manifest.tensors) {
    if (entry.file != entry.name + ".npy") continue;
    const fs::path file = work.path() / entry.file;
    make_folders(file.parent_path());
    write_npy(file, golden.tensors.at(entry.name));
  }
  write_text(work.path() / "case.json", to_json(golden.manifest));
  work.finish();
}

std::int64_t stored_bytes(const Manifest& manifest) {
  std::int64_t bytes = 0;
  for (const Entry& entry : manifest.tensors) {
    if (entry.file != entry.name + ".npy") continue;
    bytes += element_count(entry.shape) * static_cast<std::int64_t>(size_of(entry.dtype));
  }
  return bytes;
}

Manifest read_manifest(const fs::path& folder) {
  const fs::path file = folder / "case.json";
  return parse_manifest(read_text(file), file.string());
}

Tensor read_stored(const fs::path& folder, const Manifest& manifest, const Entry& entry) {
  const fs::path file = folder / entry.file;
  Tensor tensor;
  try {
    tensor = read_tensor(file, {entry.dtype, entry.shape});
  } catch (const Error& error) {
    throw Error(error.kind(), "golden " + entry.name + " of " + manifest.case_line + ": " + error.what());
  }
  const std::string found = sha256(tensor);
  if (found == entry.sha256) return tensor;
  no_verdict_error("golden " + entry.name + " of " + manifest.case_line + ": " + file.string() + " has SHA-256 " +
                   found.substr(0, 8) + "..., its case.json says " + entry.sha256.substr(0, 8) +
                   "...; restore the file");
}

void verify_stored(const fs::path& folder, const Manifest& manifest) {
  for (const Entry& entry : manifest.tensors) {
    if (entry.file.empty()) continue;
    if (entry.file == entry.name + ".npy") {
      read_stored(folder, manifest, entry);
      continue;
    }
    const Entry* owner = manifest.find(entry.file.substr(0, entry.file.size() - std::string(".npy").size()));
    if (owner == nullptr || owner->sha256 != entry.sha256 || owner->shape != entry.shape) {
      no_verdict_error("golden " + entry.name + " of " + manifest.case_line + ": case.json gives it the file " +
                       entry.file + ", which holds another tensor");
    }
  }
}

}  // namespace fusecheck::golden
