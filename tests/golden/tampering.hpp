// Ways in which files between a board and its CI go wrong, and what must come of each.
#pragma once

#include <functional>

#include "golden_test_support.hpp"
#include "tensor/memory_layout.hpp"

namespace fusecheck::testing {

using Words = std::vector<std::string>;
inline const Words check = {"golden", "check"};
inline const Words tree = {"compare", "out", "golden"};

struct Place {
  fs::path root, golden, out, other_golden, other_out;  // case folders of the random and of the exact case
};
using Tamper = std::function<void(const Place&)>;

struct Tampering {
  const char* name;
  Tamper tamper;
  Words words;  // none, or only flags: compares the random case
  int exit_code;
  const char* says;
};
inline std::ostream& operator<<(std::ostream& out, const Tampering& tampering) { return out << tampering.name; }

// Untouched, the case passes; tampered with, it ends with that exit code and that line.
class Tampered : public GoldenTree, public ::testing::WithParamInterface<Tampering> {
 protected:
  void expect_caught() {
    const Tampering& tampering = GetParam();
    ASSERT_EQ(compare().exit_code, 0);
    tampering.tamper({dir.path(), golden(), out(), golden(exact_line), out(exact_line)});
    Words words = tampering.words;
    if (words.empty() || words.front().starts_with("--")) {
      words.insert(words.begin(), {"compare", "out/" + case_folder(random_line), "golden/" + case_folder(random_line)});
    }
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, tampering.exit_code) << result.out << result.err;
    const bool judged = tampering.exit_code == 1;
    EXPECT_THAT(judged ? result.out : result.err, ::testing::HasSubstr(tampering.says));
    EXPECT_TRUE(judged || std::count(result.err.begin(), result.err.end(), '\n') == 1) << result.err;
  }
};

inline Tamper golden_flipped(const char* file, std::size_t at, unsigned char mask) {
  return [=](const Place& p) { flip(p.golden / file, at, mask); };
}
inline Tamper output_flipped(const char* file, std::size_t at, unsigned char mask) {
  return [=](const Place& p) { flip(p.out / file, at, mask); };
}
inline void cut(const fs::path& file, std::size_t bytes) { overwrite(file, read_bytes(file).substr(0, bytes)); }

inline void swap_files(const fs::path& a, const fs::path& b) {
  const std::string bytes = read_bytes(a);
  overwrite(a, read_bytes(b));
  overwrite(b, bytes);
}

inline void replace_text(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = read_bytes(file);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  overwrite(file, text.replace(at, from.size(), to));
}

// Edits case.json and makes index.json agree with it, as somebody would who wants it to pass.
inline void forge(const Place& p, const std::string& from, const std::string& to) {
  const std::string before = golden::sha256_of(read_bytes(p.golden / "case.json"));
  replace_text(p.golden / "case.json", from, to);
  replace_text(p.root / "golden/index.json", before, golden::sha256_of(read_bytes(p.golden / "case.json")));
}

inline Tamper changed(const char* output, std::function<void(std::vector<double>&)> change) {
  return [=](const Place& p) {
    const fs::path file = p.out / (std::string(output) + ".npy");
    const Tensor tensor = read_tensor(file);
    std::vector<double> values = tensor.doubles();
    change(values);
    write_npy(file, Tensor::from(tensor.dtype(), tensor.shape(), std::span<const double>(values)));
  };
}
inline Tamper filled(const char* output, double value) {
  return changed(output, [=](std::vector<double>& values) { std::fill(values.begin(), values.end(), value); });
}
inline Tamper reshaped(const char* output, DType dtype, Shape shape) {
  return [=](const Place& p) { write_npy(p.out / (std::string(output) + ".npy"), Tensor(dtype, shape)); };
}

// The output's buffer in a layout: as .npy of the buffer's or of the logical shape, or as .bin.
enum class As { buffer, logical, bin };
inline Tamper laid_out(const char* output, const char* layout, As as) {
  return [=](const Place& p) {
    const fs::path file = p.out / (std::string(output) + ".npy");
    const Tensor tensor = read_tensor(file);
    const Tensor buffer = tensor::to_buffer(tensor, tensor::parse_layout(layout));
    if (as == As::bin) {
      fs::remove(file);
      overwrite(p.out / (std::string(output) + ".bin"),
                std::string(reinterpret_cast<const char*>(buffer.bytes().data()), buffer.bytes().size()));
      return;
    }
    Tensor written(buffer.dtype(), as == As::buffer ? buffer.shape() : tensor.shape());
    std::copy(buffer.bytes().begin(), buffer.bytes().end(), written.bytes().begin());
    write_npy(file, written);
  };
}

// The buffer of dx (2 channels: 14 of 16 lanes are padding) with something in a lane.
inline Tamper dirty(const char* layout, std::size_t lane, double value) {
  return [=](const Place& p) {
    const Tensor buffer = tensor::to_buffer(read_tensor(p.out / "dx.npy"), tensor::parse_layout(layout));
    std::vector<double> values = buffer.doubles();
    values.at(lane) = value;
    write_npy(p.out / "dx.npy", Tensor::from(buffer.dtype(), buffer.shape(), std::span<const double>(values)));
  };
}

// The output of the other case; or of one that was made and run before: the same with another seed.
inline Tamper copied(const char* output) {
  return [=](const Place& p) {
    const std::string file = std::string(output) + ".npy";
    overwrite(p.out / file, read_bytes(p.other_out / file));
  };
}
inline Tamper previous(const char* output) {
  return [=](const Place& p) {
    const std::string line = std::string(random_line) + "/s7";
    ASSERT_EQ(run_fusecheck({"golden", "make", "--case", line}, p.root.string()).exit_code, 0);
    const golden::GoldenCase derived = golden::derive(parse_case(line), {});
    write_npy(p.out / (std::string(output) + ".npy"), derived.tensors.at(std::string("emulated/epilogue/") + output));
  };
}

inline Tamper done(const std::string& text) {
  return [=](const Place& p) { overwrite(p.out / "DONE", text); };
}

}  // namespace fusecheck::testing
