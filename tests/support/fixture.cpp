#include "support/fixture.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "fusecheck/error.hpp"

namespace fusecheck::testing {
namespace {

const std::filesystem::path kRoot = std::filesystem::path(FUSECHECK_SOURCE_DIR) / "tests" / "fixtures";

bool is_magnitude(std::string_view name) { return name.starts_with("S_"); }

}  // namespace

Fixture read_fixture(const std::filesystem::path& folder) {
  Fixture fixture;
  fixture.name = folder.parent_path().filename().string() + "/" + folder.filename().string();
  std::ifstream text(folder / "case.txt");
  if (!text) no_verdict_error(folder.string() + " holds no case.txt; write it with tests/fixtures/make_fixtures.py");
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "op") {
      words >> fixture.op;
      continue;
    }
    if (key == "outputs") {
      for (std::string word; words >> word;) fixture.outputs.push_back(word);
      continue;
    }
    std::vector<double> numbers;
    for (std::string word; words >> word;) {
      std::size_t used = 0;
      numbers.push_back(std::stod(word, &used));
      if (used != word.size()) usage_error(fixture.name + "/case.txt: '" + word + "' is not a number");
    }
    fixture.attrs.set(key, numbers);
  }
  fixture.training = fixture.attrs.has("bn") && fixture.attrs.list("bn").at(0) == 1;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npy") continue;
    fixture.tensors[entry.path().stem().string()] = read_tensor(entry.path());
  }
  return fixture;
}

std::vector<Fixture> all_fixtures() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot)) {
    if (entry.path().filename() == "case.txt") folders.push_back(entry.path().parent_path());
  }
  std::ranges::sort(folders);
  std::vector<Fixture> fixtures;
  for (const auto& folder : folders) fixtures.push_back(read_fixture(folder));
  return fixtures;
}

std::vector<std::string> output_names(const Fixture& fixture) {
  if (!fixture.outputs.empty()) return fixture.outputs;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : fixture.tensors) {
    if (!is_magnitude(name) && fixture.tensors.contains("S_" + name)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> input_names(const Fixture& fixture) {
  const std::vector<std::string> outputs = output_names(fixture);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : fixture.tensors) {
    const bool output = std::ranges::find(outputs, name) != outputs.end();
    if (!is_magnitude(name) && !output) names.push_back(name);
  }
  return names;
}

}  // namespace fusecheck::testing
