// The npy and the ascendc export: one folder a case, with meta.txt, check.py and SHA256SUMS.
#include <cstddef>

#include "golden/export.hpp"
#include "golden/files.hpp"

namespace fusecheck::golden {
namespace {

namespace fs = std::filesystem;

std::string_view text_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()};
}

struct Writer {
  fs::path folder;
  bool binary;

  void tensor(const std::string& path, const Tensor& buffer) const {
    const fs::path file = folder / path;
    make_folders(file.parent_path());
    if (binary) {
      write_text(file, text_of(buffer));
    } else {
      write_npy(file, buffer);
    }
  }
};

// Role, name, type, logical shape, layout, shape of the buffer; of an output also where the kernel writes it, its
// golden file, and the files of its limits.
std::string meta_line(const std::string& role, const Exported& one, const std::string& files) {
  return role + " " + one.name + " " + numpy_name(one.buffer.dtype()) + " " + to_text(one.logical) + " " +
         tensor::to_text(one.layout) + " " + to_text(one.buffer.shape()) + " " + files + "\n";
}

// Names of the files of one export.
struct Names {
  std::string input, saved, actual, golden, low, high, extension;
};

void export_case(const ExportedCase& exported, const fs::path& folder, const Names& names, bool binary) {
  make_folders(folder.parent_path());
  Unfinished work(folder);
  const Writer write{work.path(), binary};
  std::string meta;
  const auto input = [&](const std::string& role, const std::string& prefix, const Exported& one) {
    const std::string file = prefix + one.name + names.extension;
    write.tensor(file, one.buffer);
    meta += meta_line(role, one, file);
  };
  for (const Exported& one : exported.inputs) input("input", names.input, one);
  for (const Exported& one : exported.backward) input("backward", names.input, one);
  if (exported.upstream) input("upstream", names.input, *exported.upstream);
  for (const Exported& one : exported.saved) input("saved", names.saved, one);
  for (const ExportedOutput& one : exported.outputs) {
    const std::string end = one.truth.name + names.extension;
    write.tensor(names.golden + end, one.truth.buffer);
    write.tensor(names.low + end, one.low.buffer);
    write.tensor(names.high + end, one.high.buffer);
    meta += meta_line("output", one.truth,
                      names.actual + end + " " + names.golden + end + " " + names.low + end + " " + names.high + end);
  }
  // The one output of a forward sample goes by the name that Ascend C samples give it, too.
  if (binary && !exported.outputs.front().gradient) {
    write.tensor("output/golden.bin", exported.outputs.front().truth.buffer);
  }
  write_text(work.path() / "meta.txt", meta);
  write_text(work.path() / "case.txt", exported.manifest.case_line + "\nrecipe " + exported.recipe + "\n");
  write_text(work.path() / "check.py", smoke_check_script());
  write_text(work.path() / "SHA256SUMS", hash_list(work.path()));
  work.finish();
}

}  // namespace

void export_npy(const ExportedCase& exported, const fs::path& folder) {
  export_case(exported, folder, {"in/", "saved/", "out/", "golden/", "low/", "high/", ".npy"}, false);
}

void export_ascendc(const ExportedCase& exported, const fs::path& folder) {
  export_case(
      exported, folder,
      {"input/input_", "input/saved_", "output/output_", "output/golden_", "limits/low_", "limits/high_", ".bin"},
      true);
}

}  // namespace fusecheck::golden
