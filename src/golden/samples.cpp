#include "golden/samples.hpp"

#include <array>
#include <set>

#include "fusecheck/error.hpp"
#include "fusecheck/philox.hpp"
#include "golden/files.hpp"

namespace fusecheck::golden {
namespace {

constexpr std::size_t most = 256;

std::string hexadecimal(std::span<const std::byte> little_endian) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = little_endian.size(); i-- > 0;) {
    const auto byte = std::to_integer<unsigned>(little_endian[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15u];
  }
  return text;
}

std::string samples_text(const GoldenCase& golden) {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> samples;
  for (const Entry& entry : golden.manifest.tensors) {
    if (!entry.file.empty()) continue;
    const Tensor& tensor = golden.tensors.at(entry.name);
    const std::size_t width = size_of(tensor.dtype());
    for (const std::int64_t at : sample_positions(tensor.size())) {
      samples[entry.name].emplace_back(
          at, hexadecimal(tensor.bytes().subspan(static_cast<std::size_t>(at) * width, width)));
    }
  }
  return samples.empty() ? "" : to_json(samples);
}

}  // namespace

std::vector<std::int64_t> sample_positions(std::int64_t elements) {
  std::set<std::int64_t> positions;
  if (elements > 0) positions = {0, elements - 1};
  const Philox rng(1, "golden samples");
  const auto wanted = std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(elements, 0)));
  for (std::uint64_t i = 0; positions.size() < wanted && i < 16 * most; ++i) {
    positions.insert(rng.integer(i, 0, elements - 1));
  }
  return {positions.begin(), positions.end()};
}

void write_samples(const GoldenCase& golden, const std::filesystem::path& folder) {
  const std::string text = samples_text(golden);
  if (!text.empty()) write_text(folder / "samples.json", text);
}

void check_samples(const GoldenCase& golden, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "samples.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  if (read_text(file) != samples_text(golden)) {
    no_verdict_error(file.string() + ": holds other samples than the case derives to; write it again with --samples");
  }
}

}  // namespace fusecheck::golden
