// The results file: torn ends, damage, merges.
#include "suite/results.hpp"

#include <fstream>

#include "suite_run.hpp"
#include "support/expect_error.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

suite::RunHeader header(std::size_t cases, suite::Shard shard = {}) {
  return {"0.0.0", "s", std::string(64, 'a'), cases, shard, "", "emulation", ""};
}

suite::CaseRecord record(std::size_t index, const std::string& status = "pass") {
  suite::CaseRecord one;
  one.index = index;
  one.id = "case" + std::to_string(index);
  one.status = status;
  one.model = "ieee";
  one.limit = "bound";
  return one;
}

std::string line(const suite::CaseRecord& one) { return suite::to_json(one) + "\n"; }
std::string line(const suite::RunHeader& one) { return suite::to_json(one) + "\n"; }

TEST(Record, RoundTripsWithEveryField) {
  suite::CaseRecord one = record(3, "xfail");
  one.reason = "3 of 4 \"outside\" ,\\ it";
  one.kind = "no_verdict";
  one.repro = "fusecheck --case 'case3'";
  one.known_failure = KnownFailure{"me", "why", "2027-01-31"};
  const double infinity = std::numeric_limits<double>::infinity();
  one.outputs.push_back(
      {"random", "y", "fused", "fail", "epilogue", 144, 3, 2, 17, 5, 0.1, infinity, -1e-300, 1.0 / 3});
  const std::string text = suite::to_json(one);
  const auto again = suite::parse_record(text);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(suite::to_json(*again), text);
  EXPECT_EQ(again->outputs[0].rms, 1.0 / 3);
  EXPECT_EQ(again->outputs[0].used, infinity);
  EXPECT_EQ(again->known_failure->expires, "2027-01-31");
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

// Whatever a kill leaves of the last line is no line; whole lines in front of it stay.
TEST(Results, DropATornEndWhereverItWasTorn) {
  const TempDir folder;
  const std::string whole = line(header(3)) + line(record(2)) + line(record(0));
  const std::string last = line(record(1));
  for (std::size_t cut = 1; cut < last.size(); ++cut) {
    const std::string path = folder.write("r", whole + last.substr(0, cut));
    suite::ResultFile file = suite::scan_results(path);
    ASSERT_TRUE(file.torn) << cut;
    ASSERT_EQ(file.count, 2U) << cut;
    suite::ResultWriter(file).add(record(1));
    ASSERT_EQ(read_bytes(path), whole + last) << cut;
  }
  EXPECT_FALSE(suite::scan_results(folder.write("r", whole + last)).torn);
}

TEST(Results, AreSortedByCase) {
  const TempDir folder;
  const std::string path = folder.write("r", line(header(3)) + line(record(2)) + line(record(0)) + line(record(1)));
  suite::write_sorted(path, header(3), {suite::scan_results(path)});
  EXPECT_EQ(read_bytes(path), line(header(3)) + line(record(0)) + line(record(1)) + line(record(2)));
}

TEST(Results, RefuseDamage) {
  const TempDir folder;
  const std::string begin = line(header(3)), a = line(record(0)), b = line(record(1));
  const auto refused = [&](const std::string& bytes, const std::string& says) {
    const std::string path = folder.write("r", bytes);
    expect_error(ErrorKind::usage, HasSubstr(says), [&] { suite::scan_results(path); });
  };
  refused("", ":1: no header of fusecheck.run/1");
  refused("{\"schema\":\"fusecheck.run/2\"}\n", ":1: no header of fusecheck.run/1");
  refused(begin.substr(0, begin.size() - 1), ":1: no header");
  refused("version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "is a Git LFS pointer");
  refused(begin + a.substr(0, 20) + "\n" + b, ":2: not a record");
  refused(line(header(2'000'001)), ":1: 2000001 cases; a run has at most 2000000");
  refused(begin + line(record(3)), ":2: case 3 of 3");
  refused(begin + a + line(record(0, "fail")), ":3: case 'case0' is there twice, with different results");
  EXPECT_EQ(suite::scan_results(folder.write("r", begin + a + a)).count, 1U);
  expect_error(ErrorKind::no_verdict, HasSubstr("cannot be read"), [&] { suite::scan_results(folder / "absent"); });
  expect_error(ErrorKind::no_verdict, HasSubstr("cannot be read"), [&] { suite::scan_results(folder.path()); });
}

TEST(Merge, GivesWhatOneRunWouldHaveLeft) {
  const TempDir folder;
  const std::string one = folder.write("1", line(header(4, {1, 2})) + line(record(3)) + line(record(0)));
  const std::string two = folder.write("2", line(header(4, {2, 2})) + line(record(1)) + line(record(2)));
  const std::string out = folder / "all";
  const std::string expected = line(header(4)) + line(record(0)) + line(record(1)) + line(record(2)) + line(record(3));
  suite::merge_results({two, one}, out);
  EXPECT_EQ(read_bytes(out), expected);
  suite::merge_results({one, two, one}, out);  // equal lines twice are no contradiction
  EXPECT_EQ(read_bytes(out), expected);
}

TEST(Merge, NamesTheShardsThatAreMissing) {
  const TempDir folder;
  const std::string one = folder.write("1", line(header(1000, {1, 3})) + line(record(0)));
  expect_error(ErrorKind::no_verdict,
               HasSubstr("1 of 3 shards of suite s aaaaaaaa (missing 2/3, 3/3); 1 of 1,000 cases"),
               [&] { suite::merge_results({one}, folder / "all"); });
  EXPECT_FALSE(std::filesystem::exists(folder / "all"));
}

TEST(Merge, NamesARunThatWasInterrupted) {
  const TempDir folder;
  const std::string one = folder.write("1", line(header(3, {1, 2})) + line(record(0)));
  const std::string two = folder.write("2", line(header(3, {2, 2})) + line(record(1)));
  expect_error(ErrorKind::no_verdict,
               HasSubstr("all 2 shards of suite s aaaaaaaa, but a run was interrupted; 2 of 3 cases"), [&] {
                 suite::merge_results({one, two}, folder / "all");
               });
}

TEST(Merge, RefusesFilesOfDifferentRuns) {
  const TempDir folder;
  const std::string one = folder.write("1", line(header(2, {1, 2})) + line(record(0)));
  std::vector<suite::RunHeader> others(5, header(2, {2, 2}));
  others[0].selection = std::string(64, 'b');
  others[1].version = "0.0.1";
  others[2].kernel = "kernel";
  others[3].contract = "c";
  others[4].shard.count = 3;
  for (const suite::RunHeader& other : others) {
    const std::string two = folder.write("2", line(other) + line(record(1)));
    expect_error(ErrorKind::usage, HasSubstr("are not of one run"), [&] {
      suite::merge_results({one, two}, folder / "all");
    });
  }
  const std::string contradiction =
      folder.write("2", line(header(2, {2, 2})) + line(record(0, "fail")) + line(record(1)));
  expect_error(ErrorKind::usage, HasSubstr("case 'case0' has another result"), [&] {
    suite::merge_results({one, contradiction}, folder / "all");
  });
  EXPECT_FALSE(std::filesystem::exists(folder / "all"));
}

}  // namespace
}  // namespace fusecheck::testing
