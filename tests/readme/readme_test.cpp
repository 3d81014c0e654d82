// Every command of README.md runs as written, ends as the page says, and prints what the page shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "fusecheck/tensor.hpp"
#include "support/run_command.hpp"
#include "support/shown_commands.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// A folder as the reader has it: fusecheck in PATH, a kernel beside, its contract and a suite.
class Reader {
 public:
  Reader() {
    fs::create_directories(folder / "bin");
    fs::create_directories(folder / "accuracy");
    fs::create_symlink(FUSECHECK_BINARY, folder / "bin/fusecheck");
    fs::create_symlink(FUSECHECK_SOURCE_DIR "/tests/readme/kernel/run_kernel", folder / "run_kernel");
    fs::create_symlink(fs::path(FUSECHECK_BINARY).parent_path() / "readme_kernel/libkernel.so",
                       folder / "libkernel.so");
    folder.write("kernel.yaml",
                 "version: 1\nop: ConvBnRelu\ndtype: f16\nplugin: libkernel.so\ntargets:\n"
                 "  a2: {model: ieee, baseline: accuracy/a2.csv}\n  a3: {model: ieee, baseline: accuracy/a3.csv}\n"
                 "  310p: {model: ieee, baseline: accuracy/310p.csv}\n");
    folder.write("conv.yaml", "version: 1\nmatrix:\n  - {op: ConvBnRelu, shape: [1x8x9x7, 2x5x6x8], dtype: f16}\n");
  }

  // By a shell, as one line is typed. Of the variables that say a shard, GitLab's are set.
  CommandResult shell(const std::string& line) const {
    const std::string set = "unset CI TEST_TOTAL_SHARDS GTEST_TOTAL_SHARDS; CI_NODE_INDEX=1; CI_NODE_TOTAL=2; PATH=" +
                            (folder / "bin").string() + ":$PATH; export CI_NODE_INDEX CI_NODE_TOTAL PATH; ";
    return run_command({"/bin/sh", "-c", set + line}, folder.path().string());
  }
  void must(const std::string& line) const {
    const CommandResult result = shell(line);
    ASSERT_EQ(result.exit_code, 0) << line << "\n" << result.out << result.err;
  }

  TempDir folder;
};

using Step = std::function<void(const Reader&)>;

void forget(const Reader& reader, const char* what) { fs::remove_all(reader.folder / what); }

void make_case(const Reader& reader) {
  forget(reader, "case");
  reader.must("fusecheck --op ConvBnRelu --shape 1,64,56,56 --data random --save case");
}

// The emulation's outputs stand for the kernel's: as .npy in out/, as .bin in board/.
void run_board(const Reader& reader) {
  if (!fs::exists(reader.folder / "case")) make_case(reader);
  for (const char* name : {"out", "board"}) {
    forget(reader, name);
    fs::create_directories(reader.folder / name);
  }
  for (const char* name : {"y", "dx", "dw", "dgamma", "dbeta"}) {
    const std::string file = std::string(name) + ".npy";
    const fs::path from = reader.folder / ("case/fused/" + file);
    fs::copy_file(from, reader.folder / ("out/" + file));
    reader.folder.write("board/" + std::string(name) + ".bin", read_bytes(from).substr(128));
  }
}

// README: "the last tile of its rows is shifted by one channel": the last 8 columns of channel c are those of c - 1.
void shift_last_tile(const Reader& reader) {
  make_case(reader);
  const Tensor y = read_tensor(reader.folder / "case/fused/y.npy");
  ASSERT_EQ(y.shape(), (Shape{1, 64, 56, 56}));
  Tensor shifted = y;
  const std::size_t row = 56 * 2, plane = 56 * row, tile = 8 * 2;  // bytes
  for (std::size_t c = 0; c < 64; ++c) {
    for (std::size_t h = 0; h < 56; ++h) {
      const std::size_t end = (h + 1) * row;
      std::memcpy(shifted.bytes().data() + c * plane + end - tile,
                  y.bytes().data() + (c + 63) % 64 * plane + end - tile, tile);
    }
  }
  forget(reader, "out");
  fs::create_directories(reader.folder / "out");
  write_npy(reader.folder / "out/y.npy", shifted);
}

void accept_baselines(const Reader& reader) {
  for (const char* chip : {"a2", "a3", "310p"}) {
    const std::string name = chip;
    reader.must("fusecheck run conv.yaml --kernel kernel.yaml --target " + name + " -o first.jsonl && " +
                "fusecheck gate update first.jsonl --kernel kernel.yaml && rm first.jsonl");
  }
}

void accept_pr(const Reader& reader) {
  forget(reader, "accuracy/a2.csv");
  reader.must("fusecheck gate update results.jsonl --baseline accuracy/a2.csv");
}

// What a board does with an export: writes output_y.bin ... beside golden_y.bin.
void run_export(const Reader& reader) {
  for (const auto& entry : fs::recursive_directory_iterator(reader.folder / "board")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("golden_")) continue;
    fs::copy_file(entry.path(), entry.path().parent_path() / ("output_" + name.substr(7)));
  }
}

struct Expected {
  int exit_code = 0;
  Step before = {};  // what the reader has done by then
};

const std::map<std::string, Expected>& expected() {
  static const std::map<std::string, Expected> all = {
      {"fusecheck --op ConvBnRelu --shape 1,64,56,56", {}},
      {"fusecheck --op ConvBnRelu --shape 1,64,56,56 --data random --save case",
       {0, [](const Reader& reader) { forget(reader, "case"); }}},
      {"fusecheck --op ConvBnRelu --input case/inputs --actual y=board/y.bin", {0, run_board}},
      {"fusecheck --op ConvBnRelu --input case/inputs --actual board --require dx,dw,dgamma,dbeta", {}},
      {"for chip in a2 a3 310p; do fusecheck run conv.yaml --kernel kernel.yaml --target $chip -o $chip.jsonl && "
       "fusecheck gate $chip.jsonl --kernel kernel.yaml || exit; done",
       {0, accept_baselines}},
      {"fusecheck --op ConvBnRelu --input case/inputs --actual out", {1, shift_last_tile}},
      {"... run the kernel on case/inputs/*.npy, write y.npy, dx.npy, dw.npy ... to out/ ...", {0, run_board}},
      {"fusecheck --op ConvBnRelu --input case/inputs --actual out --require y,dx,dw,dgamma,dbeta", {}},
      {"fusecheck --op ConvBnRelu --shape 1,64,56,56 --exec './run_kernel {dir}'", {}},
      {"fusecheck --op ConvBnRelu --shape 1,64,56,56 --plugin ./libkernel.so", {}},
      {"fusecheck run pr --kernel kernel.yaml", {}},
      {"fusecheck --body 'c = conv2d(x, w); s = f16(c); y = relu(batch_norm(s, gamma, beta, mean, var) + r)' --shape "
       "1,64,56,56",
       {}},
      {"fusecheck help flags", {}},
      {"fusecheck list ops", {}},
      {"fusecheck list models", {}},
      {"fusecheck explain --op ConvBnRelu --shape 1,64,56,56", {}},
      {"fusecheck run pr -o results.jsonl --junit junit.xml", {}},
      {"fusecheck run conv.yaml --shard auto -o part.jsonl", {}},
      {"fusecheck gate results.jsonl --baseline accuracy/a2.csv", {0, accept_pr}},
      {"fusecheck golden make --op ConvBnRelu --shape 1,64,56,56 --data random -o golden", {}},
      {"fusecheck golden export golden -o board --format ascendc --layout nc1hwc0",
       {0, [](const Reader& reader) { forget(reader, "board"); }}},
      {"fusecheck compare board golden --layout nc1hwc0", {0, run_export}},
  };
  return all;
}

// How close oneDNN comes depends on the processor: which of its kernels runs.
std::string comparable(const std::string& text) {
  return std::regex_replace(text, std::regex("(oneDNN .*\\(at most )\\d+( % of the limit\\))"), "$1N$2");
}

TEST(Readme, EveryCommandRunsAsWritten) {
  const Reader reader;
  std::set<std::string> seen;
  for (const ShownCommand& shown : shown_commands(read_bytes(FUSECHECK_SOURCE_DIR "/README.md"))) {
    if (shown.line.starts_with("./dev ") || shown.line.starts_with("cmake ")) continue;  // below; tests/install
    SCOPED_TRACE("README.md:" + std::to_string(shown.number) + ": " + shown.line);
    const auto known = expected().find(shown.line);
    if (known == expected().end()) {
      ADD_FAILURE() << "no test says how this command ends";
      continue;
    }
    seen.insert(shown.line);
    if (known->second.before) known->second.before(reader);
    if (shown.line.starts_with("... ")) continue;
    const CommandResult result = reader.shell(shown.line);
    EXPECT_EQ(result.exit_code, known->second.exit_code) << result.out << result.err;
    if (shown.output.empty()) continue;
    EXPECT_EQ(comparable(result.out), comparable(shown.output)) << result.out;
  }
  for (const auto& [line, how] : expected()) EXPECT_TRUE(seen.contains(line)) << "README.md no longer has: " << line;
}

// './dev run ARGS' is fusecheck with ARGS once it is built, and './dev test' cannot run inside of itself.
TEST(Readme, DevHasTheCommandsThatItNames) {
  const std::string script = read_bytes(FUSECHECK_SOURCE_DIR "/dev");
  int count = 0;
  for (const ShownCommand& shown : shown_commands(read_bytes(FUSECHECK_SOURCE_DIR "/README.md"))) {
    if (!shown.line.starts_with("./dev ")) continue;
    ++count;
    const std::string rest = shown.line.substr(6);
    const std::string command = rest.substr(0, rest.find(' '));
    EXPECT_NE(script.find("\n  " + command + ")"), std::string::npos) << command;
    EXPECT_TRUE(command != "run" || expected().contains("fusecheck" + rest.substr(3))) << rest;
  }
  EXPECT_EQ(count, 2);
}

TEST(Readme, CommandsOfAPageAreFound) {
  const std::string page =
      "Text `fusecheck list\nops` and `other`.\n\n    one --a '# no comment'   # comment\n    ... do it ...\n\n"
      "```\n$ two\nout\n\nput\n```\n```yaml\nversion: 1\n```\n";
  const std::vector<ShownCommand> commands = shown_commands(page);
  std::vector<std::string> lines, outputs;
  for (const ShownCommand& one : commands) {
    lines.push_back(one.line);
    outputs.push_back(one.output);
  }
  EXPECT_THAT(lines, ElementsAre("fusecheck list ops", "one --a '# no comment'", "... do it ...", "two"));
  EXPECT_THAT(outputs, ElementsAre("", "", "", "out\n\nput\n"));
  EXPECT_EQ(commands.at(3).number, 8);
}

}  // namespace
}  // namespace fusecheck::testing
