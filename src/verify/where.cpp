// Where bad elements are: the counts, and the choice of what to say.
#include "verify/where.hpp"

#include <algorithm>
#include <string>

#include "fusecheck/error.hpp"
#include "verify/axis_pattern.hpp"
#include "verify/words.hpp"

namespace fusecheck::verify {
namespace {

constexpr std::size_t most_lines = 5;
constexpr std::int64_t few = 3;  // so many bad elements are simply named

struct Counts {
  std::vector<std::vector<std::int64_t>> per_axis;
  std::int64_t border = 0;
  std::int64_t depth = 0;    // largest distance from the edge of the last two axes
  std::int64_t nearest = 0;  // smallest
};

// Moves `index` on by `step` elements in row-major order.
void advance(std::vector<std::int64_t>& index, const Shape& shape, std::int64_t step) {
  if (index.empty()) return;
  index.back() += step;
  for (std::size_t axis = index.size() - 1; axis > 0 && index[axis] >= shape[axis]; --axis) {
    index[axis - 1] += index[axis] / shape[axis];
    index[axis] %= shape[axis];
  }
}

std::int64_t distance_from_edge(std::int64_t i, std::int64_t length) { return std::min(i, length - 1 - i); }

Counts count_bad(const Shape& shape, std::span<const std::int64_t> bad) {
  Counts counts;
  for (const std::int64_t length : shape) counts.per_axis.emplace_back(static_cast<std::size_t>(length), 0);
  const std::size_t rank = shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t before = 0;
  for (const std::int64_t at : bad) {
    advance(index, shape, at - before);
    before = at;
    for (std::size_t axis = 0; axis < rank; ++axis) ++counts.per_axis[axis][static_cast<std::size_t>(index[axis])];
    if (rank < 3) continue;
    const std::int64_t depth = std::min(distance_from_edge(index[rank - 2], shape[rank - 2]),
                                        distance_from_edge(index[rank - 1], shape[rank - 1]));
    counts.border += depth == 0 ? 1 : 0;
    counts.nearest = at == bad.front() ? depth : std::min(counts.nearest, depth);
    counts.depth = std::max(counts.depth, depth);
  }
  return counts;
}

// Share of a plane's elements that are at most `depth` from its edge.
double border_share(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  const std::int64_t inner_rows = std::max<std::int64_t>(rows - 2 * (depth + 1), 0);
  const std::int64_t inner_columns = std::max<std::int64_t>(columns - 2 * (depth + 1), 0);
  return 1 - static_cast<double>(inner_rows * inner_columns) / static_cast<double>(rows * columns);
}

// Padding touches the border alone, up to the reach of the kernel; a skipped remainder touches the interior alone.
void add_border_pattern(const Shape& shape, const Counts& counts, std::int64_t bad, std::vector<Pattern>& patterns) {
  if (shape.size() < 3) return;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  constexpr std::int64_t deepest = 3;
  const double border = border_share(rows, columns, counts.depth);
  if (counts.depth <= deepest && border < 1 && chance(border, bad) < significance) {
    const std::string within = " (within " + std::to_string(counts.depth + 1) + " of the edge)";
    patterns.push_back({border, "border only" + (counts.depth == 0 ? "" : within)});
  }
  if (counts.nearest == 0) return;
  const double interior = 1 - border_share(rows, columns, counts.nearest - 1);
  if (chance(interior, bad) >= significance) return;
  const std::string beyond = " (at least " + std::to_string(counts.nearest) + " from the edge)";
  patterns.push_back({interior, "interior only" + (counts.nearest == 1 ? "" : beyond)});
}

// A vector lane or a core that is wrong, where rows do not show it.
void add_memory_pattern(std::int64_t n, std::span<const std::int64_t> bad, std::vector<Pattern>& patterns) {
  for (const std::int64_t period : {64, 32, 16, 8}) {
    const std::int64_t first = bad.front() % period;
    const bool one_lane = std::ranges::all_of(bad, [&](std::int64_t at) { return at % period == first; });
    const double share = 1 / static_cast<double>(period);
    if (!one_lane || n < 2 * period || static_cast<double>(period) * chance(share, std::ssize(bad)) >= significance)
      continue;
    patterns.push_back({share, "every " + ordinal(period) + " element in memory order, from " + std::to_string(first)});
    return;
  }
}

std::string place_of(std::int64_t at, const Shape& shape, std::span<const std::string> axes) {
  return place_text(index_of(at, shape), axes);
}

std::string named_places(const Shape& shape, std::span<const std::int64_t> bad, std::span<const std::string> axes) {
  if (bad.size() == 1) return "one bad element, at " + place_of(bad.front(), shape, axes);
  if (std::ssize(bad) > few) return "first bad at " + place_of(bad.front(), shape, axes);
  std::string text = "bad at ";
  for (const std::int64_t at : bad) text += (at == bad.front() ? "" : "; ") + place_of(at, shape, axes);
  return text;
}

// Ascending; of equal shares the first found stays first.
std::vector<Pattern> by_share(const std::vector<Pattern>& patterns) {
  std::vector<Pattern> sorted;
  for (const Pattern& pattern : patterns) {
    sorted.insert(std::ranges::upper_bound(sorted, pattern.share, {}, &Pattern::share), pattern);
  }
  return sorted;
}

}  // namespace

std::vector<std::string> axis_names(const Shape& shape, std::span<const std::string> given) {
  const std::size_t rank = shape.size();
  if (!given.empty()) {
    if (given.size() != rank) {
      internal_error("judge: " + std::to_string(given.size()) + " axis names for a tensor of rank " +
                     std::to_string(rank));
    }
    return {given.begin(), given.end()};
  }
  static const std::vector<std::vector<std::string>> by_rank = {
      {}, {"c"}, {"n", "c"}, {"n", "c", "w"}, {"n", "c", "h", "w"}, {"n", "c", "d", "h", "w"}};
  if (rank < by_rank.size()) return by_rank[rank];
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < rank; ++axis) names.push_back(std::string("d").append(std::to_string(axis)));
  return names;
}

std::string place_text(std::span<const std::int64_t> index, std::span<const std::string> axes) {
  if (index.empty()) return "the scalar";
  std::string text;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    text += (axis == 0 ? "" : ",") + axes[axis] + "=" + std::to_string(index[axis]);
  }
  return text;
}

Where find_where(const Shape& shape, std::span<const std::int64_t> bad, std::span<const std::string> axes) {
  Where where;
  Counts counts = count_bad(shape, bad);
  where.per_axis = counts.per_axis;
  const std::int64_t n = element_count(shape), count = std::ssize(bad);
  if (shape.size() >= 3) {
    where.border = counts.border;
    where.interior = count - counts.border;
  }
  if (bad.empty()) return where;
  if (count == n && n > 1) {
    where.lines = {"every element, all " + count_text(n)};
    return where;
  }
  std::vector<Pattern> patterns;
  for (std::size_t axis = 0; count > 1 && axis < shape.size(); ++axis) {
    const auto found = axis_pattern({axes[axis], counts.per_axis[axis], count, n});
    if (found) patterns.push_back(*found);
  }
  if (count > 1) add_border_pattern(shape, counts, count, patterns);
  if (count > 1 && patterns.empty()) add_memory_pattern(n, bad, patterns);
  for (const Pattern& pattern : by_share(patterns)) {
    if (where.lines.size() + 1 < most_lines) where.lines.push_back(pattern.text);
  }
  where.lines.push_back(named_places(shape, bad, axes));
  return where;
}

}  // namespace fusecheck::verify
