// Which tiles of a kernel hold the bad elements.
#include <map>
#include <string>

#include "verify/where.hpp"

namespace fusecheck::verify {

std::string tiles_text(const Shape& shape, std::span<const std::int64_t> bad, const Shape& tile) {
  if (tile.empty() || tile.size() > shape.size() || bad.empty()) return {};
  const std::size_t first = shape.size() - tile.size();
  std::int64_t all = 1;
  for (std::size_t i = 0; i < tile.size(); ++i) all *= (shape[first + i] + tile[i] - 1) / tile[i];
  std::map<std::vector<std::int64_t>, std::int64_t> count;
  for (const std::int64_t at : bad) {
    const std::vector<std::int64_t> index = index_of(at, shape);
    std::vector<std::int64_t> place;
    for (std::size_t i = 0; i < tile.size(); ++i) place.push_back(index[first + i] / tile[i]);
    ++count[place];
  }
  std::string text =
      "tiles of " + to_text(tile) + ": bad in " + std::to_string(count.size()) + " of " + std::to_string(all);
  constexpr std::size_t most = 8;
  std::size_t shown = 0;
  for (const auto& [place, elements] : count) {
    if (std::ssize(count) == all || shown++ == most) break;
    std::string name;
    for (const std::int64_t i : place) name += (name.empty() ? "" : ",") + std::to_string(i);
    text += (shown == 1 ? ", [" : " [") + name + "]";
  }
  return text + (std::ssize(count) != all && count.size() > most ? " ..." : "");
}

}  // namespace fusecheck::verify
