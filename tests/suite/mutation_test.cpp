// Damaged files end in an error or in a value, never in a crash. Fixed mutations: the same on every run.
#include <gtest/gtest.h>

#include <string>

#include "fusecheck/error.hpp"
#include "fusecheck/suite.hpp"
#include "suite/baseline.hpp"
#include "suite/results.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {
namespace {

// One to four edits: a byte replaced, removed, or a piece of the text repeated.
std::string mutated(std::string text, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;  // Steele, Lea, Flood: SplitMix64
  const auto next = [&](std::size_t below) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % below);
  };
  const std::string bytes = "{}[]:,-?&*!|>'\"%@`#\n\t \\0x1e9.\xff\x01";
  for (std::size_t edits = next(4) + 1; edits > 0 && !text.empty(); --edits) {
    const std::size_t at = next(text.size());
    const std::size_t kind = next(3);
    if (kind == 0) text[at] = bytes[next(bytes.size())];
    if (kind == 1) text.erase(at, next(3) + 1);
    if (kind == 2) text.insert(at, text.substr(next(text.size()), next(20)));
  }
  return text;
}

// How many of `count` mutations were refused; whatever else is thrown fails the test.
template <class Read>
int refused(const std::string& text, int count, Read read) {
  int errors = 0;
  for (int i = 0; i < count; ++i) {
    try {
      read(mutated(text, static_cast<std::uint64_t>(i)));
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++errors;
    }
  }
  return errors;
}

TEST(Mutations, OfASuite) {
  const std::string text =
      "version: 1\nname: s\ndefaults: {dtype: f16, data: [exact, random]}\nmatrix:\n  - op: [ConvRelu, ConvBn]\n"
      "    shape: 1x4x6x6\n    kernel: [1, 3x1]\n    eps: 1e-3\n    exclude: [{op: ConvRelu}]\ncases:\n"
      "  - ConvAdd/bf16/x=1x4x5x5/oc=3\nlimits:\n  - {match: {case: 'Conv.*'}, max_ulp: 2}\nknown_failures:\n"
      "  - {match: {op: ConvAdd}, owner: o, reason: r, expires: 2027-01-31}\ntargets:\n  a2: {model: ieee/pairwise}\n";
  const int errors = refused(text, 3000, [](const std::string& bad) { parse_suite(bad, "s.yaml"); });
  EXPECT_GT(errors, 1500);  // most edits break something
  EXPECT_LT(errors, 3000);  // an edit of a name breaks nothing
}

TEST(Mutations, OfResultsAndBaselines) {
  const TempDir folder;
  suite::CaseRecord record;
  record.id = "Add/f32/x=2";
  record.status = "pass";
  record.outputs.push_back({"exact", "y", "fused", "pass", "epilogue", 2, 0, 0, 0, 0, 0, 0.5, -0.25, 1});
  const suite::RunHeader header{"0.0.0", "s", "ab", 3, {}, "", "emulation", ""};
  std::string results = suite::to_json(header) + "\n";
  for (record.index = 0; record.index < 3; ++record.index) results += suite::to_json(record) + "\n";
  EXPECT_GT(refused(results, 1000, [&](const std::string& bad) { suite::scan_results(folder.write("r", bad)); }), 250);
  suite::Baseline baseline;
  for (auto& [key, row] : suite::rows_of(header, record)) baseline.emplace(key, row);
  EXPECT_GT(refused(suite::to_csv(baseline), 1000,
                    [&](const std::string& bad) { suite::read_baseline(folder.write("b", bad)); }),
            250);
}

}  // namespace
}  // namespace fusecheck::testing
