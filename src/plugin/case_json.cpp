// case.json: the only user of nlohmann-json here.
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "plugin/case_folder.hpp"

namespace fusecheck::plugin {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<TensorPlace>& places) {
  Json list = Json::array();
  for (const TensorPlace& place : places) {
    list.push_back({{"name", place.name},
                    {"file", place.file},
                    {"dtype", name_of(place.dtype)},
                    {"shape", place.shape},
                    {"layout", tensor::to_text(place.layout)},
                    {"stored_shape", place.stored_shape()}});
  }
  return list;
}

std::vector<TensorPlace> places_of(const Json& list) {
  std::vector<TensorPlace> places;
  for (const Json& one : list) {
    places.push_back({one.at("name"), one.at("file"), parse_dtype(one.at("dtype").get<std::string>()),
                      one.at("shape").get<Shape>(), tensor::parse_layout(one.at("layout").get<std::string>())});
  }
  return places;
}

}  // namespace

std::string to_json(const CaseFolder& folder) {
  Json attributes = Json::object();
  for (const auto& [name, value] : folder.attrs.all()) attributes[name] = value;
  const Json document = {{"schema", case_schema},
                         {"case", folder.line},
                         {"op", folder.op},
                         {"body", folder.body},
                         {"attributes", attributes},
                         {"inputs", to_json(folder.inputs)},
                         {"outputs", to_json(folder.outputs)}};
  return document.dump(2) + "\n";
}

CaseFolder read_case_folder(const std::filesystem::path& path) {
  try {
    std::ifstream stream(path / "case.json");
    const Json document = Json::parse(stream);
    CaseFolder folder{path, document.at("case"), document.at("op"), document.at("body"), {}, {}, {}};
    for (const auto& [name, value] : document.at("attributes").items()) {
      folder.attrs.set(name, value.get<std::vector<double>>());
    }
    folder.inputs = places_of(document.at("inputs"));
    folder.outputs = places_of(document.at("outputs"));
    return folder;
  } catch (const nlohmann::json::exception& error) {
    internal_error(base::quoted_path((path / "case.json").string()) + ": " + error.what());
  }
}

}  // namespace fusecheck::plugin
