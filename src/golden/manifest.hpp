// case.json: what a golden case holds, schema fusecheck.golden/1 (docs/golden.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusecheck/attrs.hpp"
#include "fusecheck/tensor.hpp"

namespace fusecheck::golden {

inline constexpr const char* case_schema = "fusecheck.golden/1";
inline constexpr const char* index_schema = "fusecheck.golden-index/1";

// One tensor of a case. Names are paths: in/x, saved/mask, truth/y, recipe/fold/low/y, emulated/fold/y.
struct Entry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::string sha256;  // of the payload (N8)
  std::string file;    // relative to the case's folder; tensors of equal bytes share one. Empty: not stored, re-derived
  bool operator==(const Entry&) const = default;
};

// The widest limit of one output under one recipe: largest |low or high - truth|.
struct Limit {
  double abs = 0;
  std::int64_t ulp = 0;
  bool operator==(const Limit&) const = default;
};

struct Manifest {
  std::string case_line;
  std::string op;
  Attrs attributes;                     // complete, as run
  std::vector<std::string> given = {};  // inputs that were read from files and not drawn; sorted; always stored
  std::string tolerance = {};           // the limit that decides, as to_text says it; empty: bound
  std::optional<double> max_diff = {};  // J12
  std::int64_t kinks_zeroed = 0;
  std::map<std::string, std::string> versions;  // op, data, rng, model, reference: what the bytes depend on
  std::vector<Entry> tensors;                   // sorted by name
  std::map<std::string, std::map<std::string, Limit>> limits;  // recipe, output
  bool operator==(const Manifest&) const = default;

  const Entry* find(std::string_view name) const;  // null when absent
};

// Sorted keys, two spaces, one tensor a line, shortest numbers that read back: same manifest, same bytes.
std::string to_json(const Manifest& manifest);
// `file` names it in messages. Usage error: not JSON, another schema, a key too many or missing, a value of the wrong
// kind. No-verdict error: readable, but not byte for byte what to_json writes (it was edited).
Manifest parse_manifest(const std::string& text, const std::string& file);

// One line of index.json.
struct IndexEntry {
  std::string case_line;
  std::string folder;           // relative to the tree: "ConvBnRelu/f16__x-1x7x7x7__3fa9c1d2"
  std::string manifest_sha256;  // of case.json
  std::int64_t tensors = 0, stored_bytes = 0;
  bool operator==(const IndexEntry&) const = default;
};
std::string to_json(const std::vector<IndexEntry>& index);                              // sorted by case, one line each
std::vector<IndexEntry> parse_index(const std::string& text, const std::string& file);  // errors as parse_manifest

// One line of CHANGES.jsonl, with a newline.
std::string change_line(const std::map<std::string, std::string>& fields);
// {"name": value ...}, sorted, one line each: sample files and hash lists of exports.
std::string to_json(const std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>>& samples);

std::string sha256_of(std::string_view text);

}  // namespace fusecheck::golden
