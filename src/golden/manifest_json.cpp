// The only JSON of this layer: case.json, index.json, CHANGES.jsonl, samples.json.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "golden/manifest.hpp"

namespace fusecheck::golden {
namespace {

using Json = nlohmann::json;  // sorts its keys

// Top-level keys on lines of their own; of an array, each element.
std::string document(const Json& json) {
  std::string text = "{\n";
  std::size_t left = json.size();
  for (const auto& [key, value] : json.items()) {
    text += "  " + Json(key).dump() + ": ";
    if (value.is_array()) {
      text += "[\n";
      for (std::size_t i = 0; i < value.size(); ++i) {
        text += "    " + value[i].dump() + (i + 1 < value.size() ? ",\n" : "\n");
      }
      text += "  ]";
    } else {
      text += value.dump();
    }
    text += --left > 0 ? ",\n" : "\n";
  }
  return text + "}\n";
}

Json parse(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    usage_error(file + ": is not JSON; write it again with 'fusecheck golden make'");
  }
}

// Runs `read`, which takes every key it needs; anything missing or of the wrong kind is one usage error.
template <class Read>
auto reading(const std::string& file, Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'case' not found"
    usage_error(file + ": is malformed: " + what.substr(std::min(what.size(), what.find("] ") + 2)));
  }
}

void require_keys(const Json& json, const std::vector<std::string>& keys, const std::string& file) {
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      usage_error(file + ": unknown key " + base::quoted(key) + base::hint(key, keys));
    }
  }
}

void require_schema(const Json& json, const std::string& schema, const std::string& file) {
  const std::string found = json.at("schema").get<std::string>();
  if (found != schema) {
    usage_error(file + ": has schema " + base::quoted(found) + ", this version reads " + schema);
  }
}

// Doubles as numbers where JSON has them, else as the words of number_text.
Json number(double value) {
  const std::string text = base::number_text(value);
  if (text == "inf" || text == "-inf" || text == "nan") return text;
  return value;
}

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  throw Json::type_error::create(302, base::quoted(text) + " is not a number", &json);
}

void require_canonical(const std::string& text, const std::string& again, const std::string& file) {
  if (text == again) return;
  no_verdict_error(file + ": is not as fusecheck writes it (edited by hand, or line ends converted); restore it");
}

Json entry_json(const Entry& entry) {
  return {{"name", entry.name},
          {"dtype", name_of(entry.dtype)},
          {"shape", entry.shape},
          {"sha256", entry.sha256},
          {"file", entry.file.empty() ? Json(nullptr) : Json(entry.file)}};
}

// A manifest from elsewhere must not name files outside its own folder.
void require_inside(const std::string& path, const std::string& file) {
  if (path.starts_with("/") || path.find("..") != std::string::npos) {
    usage_error(file + ": " + base::quoted(path) + " leaves its folder");
  }
}

Entry entry_of(const Json& json, const std::string& file) {
  require_keys(json, {"name", "dtype", "shape", "sha256", "file"}, file);
  Entry entry;
  entry.name = json.at("name").get<std::string>();
  entry.dtype = parse_dtype(json.at("dtype").get<std::string>());
  entry.shape = json.at("shape").get<Shape>();
  entry.sha256 = json.at("sha256").get<std::string>();
  if (!json.at("file").is_null()) entry.file = json.at("file").get<std::string>();
  require_inside(entry.file, file);
  return entry;
}

Manifest manifest_of(const Json& json, const std::string& file) {
  require_schema(json, case_schema, file);
  require_keys(json,
               {"schema", "case", "op", "attributes", "given", "tolerance", "max_diff", "kinks_zeroed", "versions",
                "tensors", "limits"},
               file);
  Manifest manifest;
  manifest.case_line = json.at("case").get<std::string>();
  manifest.op = json.at("op").get<std::string>();
  for (const auto& [name, value] : json.at("attributes").items()) {
    manifest.attributes.set(name, value.get<std::vector<double>>());
  }
  if (json.contains("given")) manifest.given = json.at("given").get<std::vector<std::string>>();
  if (json.contains("tolerance")) manifest.tolerance = json.at("tolerance").get<std::string>();
  if (json.contains("max_diff")) manifest.max_diff = json.at("max_diff").get<double>();
  manifest.kinks_zeroed = json.at("kinks_zeroed").get<std::int64_t>();
  manifest.versions = json.at("versions").get<std::map<std::string, std::string>>();
  for (const Json& tensor : json.at("tensors")) manifest.tensors.push_back(entry_of(tensor, file));
  for (const auto& [recipe, outputs] : json.at("limits").items()) {
    for (const auto& [output, limit] : outputs.items()) {
      manifest.limits[recipe][output] = {number_of(limit.at("abs")), limit.at("ulp").get<std::int64_t>()};
    }
  }
  return manifest;
}

}  // namespace

const Entry* Manifest::find(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::string to_json(const Manifest& manifest) {
  Json json = {{"schema", case_schema},
               {"case", manifest.case_line},
               {"op", manifest.op},
               {"attributes", Json::object()},
               {"kinks_zeroed", manifest.kinks_zeroed},
               {"versions", manifest.versions},
               {"tensors", Json::array()},
               {"limits", Json::object()}};
  for (const auto& [name, value] : manifest.attributes.all()) json["attributes"][name] = value;
  // Absent where they say nothing, so that most cases have the bytes that they always had.
  if (!manifest.given.empty()) json["given"] = manifest.given;
  if (!manifest.tolerance.empty()) json["tolerance"] = manifest.tolerance;
  if (manifest.max_diff) json["max_diff"] = *manifest.max_diff;
  for (const Entry& entry : manifest.tensors) json["tensors"].push_back(entry_json(entry));
  for (const auto& [recipe, outputs] : manifest.limits) {
    for (const auto& [output, limit] : outputs) {
      json["limits"][recipe][output] = {{"abs", number(limit.abs)}, {"ulp", limit.ulp}};
    }
  }
  return document(json);
}

Manifest parse_manifest(const std::string& text, const std::string& file) {
  const Json json = parse(text, file);
  Manifest manifest = reading(file, [&] { return manifest_of(json, file); });
  require_canonical(text, to_json(manifest), file);
  return manifest;
}

std::string to_json(const std::vector<IndexEntry>& index) {
  std::vector<IndexEntry> sorted = index;
  std::sort(sorted.begin(), sorted.end(),
            [](const IndexEntry& a, const IndexEntry& b) { return a.case_line < b.case_line; });
  Json cases = Json::array();
  for (const IndexEntry& entry : sorted) {
    cases.push_back({{"case", entry.case_line},
                     {"folder", entry.folder},
                     {"manifest_sha256", entry.manifest_sha256},
                     {"tensors", entry.tensors},
                     {"stored_bytes", entry.stored_bytes}});
  }
  return document({{"schema", index_schema}, {"cases", cases}});
}

std::vector<IndexEntry> parse_index(const std::string& text, const std::string& file) {
  const Json json = parse(text, file);
  std::vector<IndexEntry> index = reading(file, [&] {
    require_schema(json, index_schema, file);
    require_keys(json, {"schema", "cases"}, file);
    std::vector<IndexEntry> entries;
    for (const Json& line : json.at("cases")) {
      require_inside(line.at("folder").get<std::string>(), file);
      entries.push_back({line.at("case").get<std::string>(), line.at("folder").get<std::string>(),
                         line.at("manifest_sha256").get<std::string>(), line.at("tensors").get<std::int64_t>(),
                         line.at("stored_bytes").get<std::int64_t>()});
    }
    return entries;
  });
  require_canonical(text, to_json(index), file);
  return index;
}

std::string change_line(const std::map<std::string, std::string>& fields) {
  return Json(fields).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>>& samples) {
  Json json = Json::object();
  for (const auto& [name, list] : samples) {
    json[name] = Json::array();
    for (const auto& [position, bits] : list) json[name].push_back({position, bits});
  }
  return document(json);
}

std::string sha256_of(std::string_view text) {
  return base::sha256_hex(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

}  // namespace fusecheck::golden
