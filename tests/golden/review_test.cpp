// make, diff, accept, prune: a change is seen, explained and accepted by a person, or nothing changes.
#include <nlohmann/json.hpp>

#include "golden/tree.hpp"
#include "golden_test_support.hpp"

namespace fusecheck::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::map<std::string, std::string> bytes_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = read_bytes(entry.path());
  }
  return files;
}

class Review : public GoldenTree {
 protected:
  // Rewrites the case as an earlier version of the model would have made it: three elements of dw one ULP away.
  void make_old(const std::string& line) {
    golden::GoldenCase old = golden::derive(parse_case(line), {});
    Tensor& dw = old.tensors.at("truth/dw");
    // The lowest bit of a pattern: one ULP up or down.
    for (const std::size_t at : {2u, 30u, 100u}) dw.bytes()[2 * at] ^= std::byte{1};
    old.manifest.versions["model"] = "ieee/0";
    for (golden::Entry& entry : old.manifest.tensors) {
      if (entry.name == "truth/dw") entry.sha256 = sha256(dw);
    }
    fs::remove_all(golden(line));
    golden::write_case(old, golden(line));
    std::vector<golden::IndexEntry> index = golden::read_index(dir / "golden");
    golden::put(index, golden::index_entry(old.manifest));
    golden::write_index(dir / "golden", index);
  }
  CommandResult make() { return run({"golden", "make", "--case", random_line, "--case", exact_line}); }
  // Without the CI variable, which the tests' own environment may have; or with it.
  CommandResult accept(const std::vector<std::string>& more, bool in_ci = false) {
    std::vector<std::string> words = {"env", in_ci ? "CI=true" : "--unset=CI", FUSECHECK_BINARY, "golden", "accept"};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words, dir.path().string());
  }
};

TEST_F(Review, MakeLeavesAChangedCaseBesideTheAcceptedOne) {
  make_old(random_line);
  const auto before = bytes_below(dir / "golden");
  const CommandResult made = make();
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr(std::string("changed  ") + random_line));
  EXPECT_THAT(made.out, HasSubstr("new 0, unchanged 1, changed 1 (pending: 'fusecheck golden diff golden')"));
  auto after = bytes_below(dir / "golden");
  EXPECT_GT(std::erase_if(after, [](const auto& file) { return file.first.find(".new/") != std::string::npos; }), 10u);
  EXPECT_TRUE(after == before);
}

TEST_F(Review, DiffCountsElementsAndNamesTheVersion) {
  make_old(random_line);
  make();
  const CommandResult diff = run({"golden", "diff"});
  EXPECT_EQ(diff.exit_code, 1) << diff.err;
  EXPECT_THAT(diff.out, HasSubstr("    truth/dw  3 of 288 elements changed, max ULP 1\n"));  // 16*2*3*3 = 288
  EXPECT_THAT(diff.out, HasSubstr("    cause: model ieee/0 -> ieee/1\n"));
  EXPECT_THAT(diff.out, HasSubstr("1 pending"));
  EXPECT_THAT(diff.out, Not(HasSubstr("truth/dx")));
}

TEST_F(Review, DiffSaysWhereNoVersionExplainsAChange) {
  make_old(random_line);
  golden::GoldenCase old = golden::derive(parse_case(random_line), {});
  old.manifest.tensors.erase(old.manifest.tensors.begin());
  fs::remove_all(golden());
  golden::write_case(old, golden());
  make();
  const CommandResult diff = run({"golden", "diff"});
  EXPECT_THAT(diff.out, HasSubstr(old.manifest.tensors.front().name.substr(0, 8)));
  EXPECT_THAT(diff.out, HasSubstr("  new\n"));
  EXPECT_THAT(diff.out, HasSubstr("cause: unknown, no version differs << look at this"));
}

TEST_F(Review, NothingPendingIsZero) {
  const CommandResult diff = run({"golden", "diff"});
  EXPECT_EQ(diff.exit_code, 0);
  EXPECT_EQ(diff.out, "0 pending\n");
}

TEST_F(Review, AcceptNeedsAReasonAChoiceAndAPerson) {
  make_old(random_line);
  make();
  const auto before = bytes_below(dir / "golden");
  const auto refused = [&](const CommandResult& result, int code, const char* says) {
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  };
  refused(accept({"--all"}), 2, "--reason TEXT is missing");
  refused(accept({"--reason", "because"}), 2, "name what to accept");
  refused(accept({"--all", "--case", random_line, "--reason", "because"}), 2, "name what to accept");
  refused(accept({"--case", exact_line, "--reason", "because"}), 3, "no pending case");
  refused(accept({"--all", "--reason", "because"}, true), 2, "refused in CI (CI is set)");
  refused(accept({"elsewhere", "--all", "--reason", "because"}), 3, "elsewhere");
  EXPECT_TRUE(bytes_below(dir / "golden") == before);
}

TEST_F(Review, AcceptReplacesLogsAndSettles) {
  make_old(random_line);
  const std::string old_hash = golden::sha256_of(read_bytes(golden() / "case.json"));
  EXPECT_EQ(run({"golden", "check"}).exit_code, 3);
  make();
  const CommandResult accepted = accept({"--case", random_line, "--reason", "ties to even in the fold"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_THAT(accepted.out, HasSubstr("accepted 1 (logged in golden/CHANGES.jsonl); 0 still pending"));
  EXPECT_FALSE(fs::exists(golden::pending_of(golden())));
  EXPECT_EQ(run({"golden", "check"}).exit_code, 0);
  EXPECT_THAT(make().out, HasSubstr("unchanged 2, changed 0"));
  const std::string log = read_bytes(dir / "golden/CHANGES.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);
  const json change = json::parse(log);
  EXPECT_EQ(change["case"], random_line);
  EXPECT_EQ(change["reason"], "ties to even in the fold");
  EXPECT_EQ(change["cause"], "model ieee/0 -> ieee/1");
  EXPECT_EQ(change["old"], old_hash);
  EXPECT_EQ(change["new"], golden::sha256_of(read_bytes(golden() / "case.json")));
}

// A run that was killed after it wrote the case and before it wrote the index.
TEST_F(Review, MakeListsACaseThatLostItsLine) {
  std::vector<golden::IndexEntry> index = golden::read_index(dir / "golden");
  const std::string whole = read_bytes(dir / "golden/index.json");
  index.pop_back();
  golden::write_index(dir / "golden", index);
  EXPECT_THAT(make().out, HasSubstr("new 0, unchanged 2, changed 0"));
  EXPECT_EQ(read_bytes(dir / "golden/index.json"), whole);
}

TEST_F(Review, PruneRemovesWhatNoIndexNames) {
  const std::string stray = "golden/ConvRelu/left_over";
  fs::create_directories(dir / stray);
  fs::copy(golden() / "case.json", dir / stray / "case.json");
  const CommandResult dry = run({"golden", "prune"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("would remove ConvRelu/left_over\n1 folder without a line in index.json; --yes"));
  EXPECT_TRUE(fs::exists(dir / stray));
  EXPECT_THAT(run({"golden", "check"}).err, HasSubstr("note: ConvRelu/left_over is not in index.json"));
  EXPECT_THAT(run({"golden", "prune", "--yes"}).out, HasSubstr("removed ConvRelu/left_over\n"));
  EXPECT_FALSE(fs::exists(dir / stray));
  EXPECT_EQ(run({"golden", "check"}).exit_code, 0);
}

TEST_F(Review, ListNamesEveryCase) {
  const CommandResult list = run({"golden", "list", "golden"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr(random_line));
  EXPECT_THAT(list.out, HasSubstr(case_folder(exact_line)));
}

TEST(GoldenCalls, RefuseWhatTheyDoNotUnderstand) {
  const TempDir folder;
  const auto refused = [&](const std::vector<std::string>& words, int code, const char* says) {
    const CommandResult result = run_fusecheck(words, folder.path().string());
    EXPECT_EQ(result.exit_code, code) << says;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(fs::is_empty(folder.path()));
  };
  refused({"golden"}, 2, "golden takes one of make, check, diff, accept, export, list, prune");
  refused({"golden", "mak"}, 2, "Did you mean 'make'?");
  refused({"golden", "make", "--op", "ConvRelu", "--shape", "1,2,4,4", "stray"}, 2, "unexpected word 'stray'");
  refused({"golden", "make", "--case", "ConvRelu/f16/x=1x2x4x4/random", "--op", "ConvRelu"}, 2,
          "leave out --op or --case");
  refused({"golden", "make", "--actual", "y.npy"}, 2, "unknown option '--actual'");
  refused({"golden", "check", "a", "b"}, 2, "golden check takes the folder of the tree; 'b' is one too many");
  refused({"golden", "check"}, 3, "golden: holds no index.json");
  refused({"golden", "export", "golden"}, 2, "-o DIR is missing");
  refused({"golden", "export", "golden", "-o", "x", "--format", "nyp"}, 2, "Did you mean 'npy'?");
  refused({"compare", "a"}, 2, "compare takes ACTUAL GOLDEN");
  refused({"compare", "a", "b"}, 3, "b: no such file or folder");
  refused({"compare", "a", "b", "--layout", "y=nchv"}, 2, "unknown layout 'nchv'");
  refused({"compare", "a", "b", "--tol", "y=upl:4"}, 2, "upl");
}

}  // namespace
}  // namespace fusecheck::testing
