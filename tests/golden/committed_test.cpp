// The golden data that is committed: derived again here, by whatever compiler built this, every hash is the same.
#include "golden/tree.hpp"
#include "golden_test_support.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::HasSubstr;

const fs::path committed = fs::path(FUSECHECK_SOURCE_DIR) / "golden";

TEST(Committed, EveryHashIsDerivedAgain) {
  const CommandResult result = run_fusecheck({"golden", "check", committed.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS  17 cases, "));
  EXPECT_EQ(result.err, "");  // nothing pending, nothing that index.json does not name
}

TEST(Committed, HoldsTheCasesThatItSays) {
  const TempDir folder;
  const CommandResult made = run_fusecheck(
      {"golden", "make", "--cases", (committed / "cases.txt").string(), "-o", "golden"}, folder.path().string());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(read_bytes(folder / "golden/index.json"), read_bytes(committed / "index.json"));
}

TEST(Committed, StaysUnderAMegabyte) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(committed)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, 1'000'000u);
}

}  // namespace
}  // namespace fusecheck::testing
