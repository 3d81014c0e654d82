// Files that do not hold what they should (exit 2) or are not there (exit 3).
#include <string>

#include "cli/cli_test_support.hpp"
#include "tensor/npy_files.hpp"

namespace fusecheck::testing {
namespace {

using namespace std::string_literals;

// x of the case that every test here runs: f32, 1x2x3x4, 96 bytes of payload.
constexpr std::size_t payload = 96;
const std::string good_header = npy_header(dictionary("<f4", "(1, 2, 3, 4)"));
const std::string good = good_header + std::string(payload, '\0');

struct WrongFile {
  const char* name;  // of the file
  std::string bytes;
  const char* says;
};

void PrintTo(const WrongFile& file, std::ostream* out) { *out << file.says; }

class WrongInput : public ::testing::TestWithParam<WrongFile> {};

TEST_P(WrongInput, IsRefusedAsInputAndAsActual) {
  const WrongFile& wrong = GetParam();
  const TempDir folder;
  folder.write(wrong.name, wrong.bytes);
  const Arguments common = words("--op ConvRelu --dtype f32 --data random --direction fwd --save saved");
  const std::string path = wrong.name;
  expect_refused(common + Arguments{"--shape", "1,2,3,4", "--input", "x=" + path}, 2, wrong.says, folder);
  expect_refused(common + Arguments{"--shape", "1,2,3,4", "--actual", "y=" + path}, 2, wrong.says, folder);
}

INSTANTIATE_TEST_SUITE_P(
    Truncated, WrongInput,
    ::testing::Values(WrongFile{"t.npy", "", "t.npy: is empty"},
                      WrongFile{"t.npy", good.substr(0, 8), "truncated in the .npy header: 8 bytes"},
                      WrongFile{"t.npy", good.substr(0, 100), "truncated in the .npy header"},
                      WrongFile{"t.npy", good.substr(0, good.size() - 1),
                                "truncated: payload has 95 bytes, its header promises 96 (1x2x3x4 f32)"},
                      WrongFile{"t.npy", good_header, "truncated: payload has 0 bytes"},
                      WrongFile{"t.npy", good + "z", "1 byte after the 96"},
                      WrongFile{"t.bin", std::string(payload - 4, '\0'), "has 92 bytes, expected 96 (1x2x3x4 f32)"}));

INSTANTIATE_TEST_SUITE_P(
    HugeHeader, WrongInput,
    ::testing::Values(
        WrongFile{"h.npy", "\x93NUMPY\x02\0"s + little_endian(0xffffffffU, 4) + std::string(200, ' '),
                  "it promises 4294967295 bytes, the file has 200 left"},
        WrongFile{"h.npy", "\x93NUMPY\x01\0"s + little_endian(0xffffU, 2) + std::string(300, ' '),
                  "it promises 65535 bytes, the file has 300 left"},
        WrongFile{"h.npy", npy_header(dictionary("<f4", "(1, 2, 3, 4)"), 70000, 2) + std::string(payload, '\0'),
                  "at most 65535 are read"},
        WrongFile{"h.npy", npy_header(dictionary("<f4", "(4294967296, 4294967296)")) + std::string(payload, '\0'),
                  "more than 2^40 elements"},
        WrongFile{"h.npy", npy_header(dictionary("<f4", "(1, 2, 3, 1000000000)")) + std::string(payload, '\0'),
                  "its header promises 24000000000"},
        WrongFile{"h.npy", npy_header(dictionary("<f4", "(99999999999999999999,)")) + std::string(payload, '\0'),
                  "h.npy"}));

INSTANTIATE_TEST_SUITE_P(
    ByteOrder, WrongInput,
    ::testing::Values(WrongFile{"e.npy", npy_header(dictionary("|f4", "(1, 2, 3, 4)")) + std::string(payload, '\0'),
                                "dtype '|f4' is not supported"},
                      WrongFile{"e.npy", npy_header(dictionary("!f4", "(1, 2, 3, 4)")) + std::string(payload, '\0'),
                                "dtype '!f4' is not supported"},
                      WrongFile{"e.npy", npy_header(dictionary("f4", "(1, 2, 3, 4)")) + std::string(payload, '\0'),
                                "dtype 'f4' is not supported"},
                      WrongFile{"e.npy", npy_header(dictionary("<>f4", "(1, 2, 3, 4)")) + std::string(payload, '\0'),
                                "dtype '<>f4' is not supported"},
                      WrongFile{"e.npy", "YPMUN\x93\x01\0"s + good.substr(8), "is not a .npy file"},
                      // Length 118 = 0x0076 with its bytes swapped: 0x7600 = 30208.
                      WrongFile{"e.npy", "\x93NUMPY\x01\0\0\x76"s + good.substr(10), "it promises 30208 bytes"}));

INSTANTIATE_TEST_SUITE_P(
    Pickled, WrongInput,
    ::testing::Values(
        WrongFile{"p.npy", npy_header(dictionary("|O", "(1, 2, 3, 4)")) + std::string(payload, '\0'), "pickled"},
        WrongFile{"p.npy", npy_header(dictionary("|O8", "(1, 2, 3, 4)")) + std::string(payload, '\0'), "pickled"},
        WrongFile{"p.npy", "\x80\x04\x95"s + std::string(40, 'a'), "is a pickled Python object"},
        WrongFile{"p.npy",
                  npy_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (24,), }") +
                      std::string(payload, '\0'),
                  "holds a structured dtype"},
        WrongFile{"p.npy", "PK\x03\x04"s + std::string(60, 'a'), ".npz (zip) archive"}));

// 43 + 76 + 9 bytes.
const std::string pointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 224\n";

INSTANTIATE_TEST_SUITE_P(
    GitLfsPointer, WrongInput,
    ::testing::Values(WrongFile{"l.npy", pointer, "is a Git LFS pointer (128 bytes), not data; run 'git lfs pull'"},
                      WrongFile{"l.bin", pointer, "is a Git LFS pointer (128 bytes)"},
                      WrongFile{"l.npy", pointer.substr(0, 43), "is a Git LFS pointer (43 bytes)"},
                      WrongFile{"l.npy", pointer + "ext-0-foo sha256:00\n", "is a Git LFS pointer (148 bytes)"}));

// ---- what the files hold against what the flags say -----------------------------------------------------------------

TEST(FileAgainstFlags, NamesBoth) {
  const TempDir folder;
  write_npy(folder / "x.npy", small_tensor(DType::f32, {1, 2, 6, 6}));
  write_npy(folder / "w.npy", small_tensor(DType::f32, {4, 2, 3, 5}));
  const Arguments call = words("--op ConvRelu --save saved --input x=x.npy");
  expect_refused(call + words("--shape 1,2,6,7"), 2, "--shape x=1x2x6x7 contradicts 'x.npy', which holds 1x2x6x6",
                 folder);
  expect_refused(call + words("--dtype f16"), 2, "'x.npy' holds f32, the case's x is f16", folder);
  expect_refused(call + words("--input w=w.npy --oc 8"), 2, "--oc 8 contradicts 'w.npy', whose shape says 4", folder);
  expect_refused(call + words("--input w=w.npy --kernel 3"), 2,
                 "--kernel 3,3 contradicts 'w.npy', whose shape says 3,5", folder);
  expect_refused(call + words("--input w=w.npy --groups 2"), 2, "w has shape 4x2x3x5, expected 4x1x3x5", folder);
}

TEST(FileAgainstFlags, AnF32KernelOutputIsNoF16Output) {
  const TempDir folder;
  write_npy(folder / "y.npy", small_tensor(DType::f32, {1, 2, 6, 6}));
  const Arguments call = words("--op ConvRelu --shape 1,2,6,6 --save saved");
  expect_refused(call + words("--actual y=y.npy"), 2, "'y.npy' holds f32, the case's y is f16", folder);
  expect_refused(call + words("--dtype f32 --oc 3 --actual y=y.npy"), 2,
                 "'y.npy' holds 1x2x6x6, the case's y is 1x3x6x6", folder);
  expect_refused(call + words("--dtype f32 --actual z=y.npy"), 2, "ConvRelu takes no tensor 'z' here", folder);
  expect_refused(call + words("--dtype f32 --actual y.npy"), 2, "'y.npy' is a file: say which tensor it holds", folder);
  expect_refused(call + words("--dtype f32 --data all --actual y=y.npy"), 2, "name it, as in --data random", folder);
}

TEST(FileAgainstFlags, ABinNeedsItsDeclarations) {
  const TempDir folder;
  folder.write("x.bin", std::string(2 * 72, '\0'));
  expect_refused(words("--op ConvRelu --shape 1,2,6,6 --input x=x.bin"), 2,
                 "'x.bin' has no header: declare its type with --dtype", folder);
  expect_refused(words("--op ConvRelu --dtype f16 --input x=x.bin"), 2, "needs --shape: the dimensions of x", folder);
}

// ---- absent, or not to be written -----------------------------------------------------------------------------------

TEST(AbsentFile, IsNoVerdict) {
  const TempDir folder;
  const Arguments call = words("--op ConvRelu --shape 1,2,6,6 --data random --save saved");
  expect_refused(call + words("--input x=x.npy"), 3, "x.npy: no such file", folder);
  expect_refused(call + words("--input inputs"), 3, "--input 'inputs': no such file or folder", folder);
  expect_refused(call + words("--actual y=y.npy"), 3, "y.npy: no such file", folder);
  expect_refused(call + words("--actual outputs"), 3, "--actual 'outputs': no such file or folder", folder);
}

TEST(AbsentFile, ThatIsRequiredIsNoVerdict) {
  const TempDir folder;
  write_npy(folder / "y.npy", small_tensor(DType::f16, {1, 2, 6, 6}));
  const Arguments call = words("--op ConvRelu --shape 1,2,6,6 --save saved --actual y=y.npy");
  expect_refused(call + words("--require y,dx"), 3, "--require dx", folder);
  expect_refused(call + words("--require q"), 2, "--require q", folder);
}

TEST(FolderWithoutTensors, IsRefused) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "out");
  write_npy(folder / "out/result.npy", small_tensor(DType::f16, {1, 2, 6, 6}));
  expect_refused(words("--op ConvRelu --shape 1,2,6,6 --actual out"), 2, "'out' holds none of y dx dw", folder);
  std::filesystem::create_directory(folder / "out/random");
  expect_refused(words("--op ConvRelu --shape 1,2,6,6 --actual out"), 2, "--data random --actual out/random", folder);
}

TEST(SaveFolder, ThatCannotBeMadeIsNoVerdict) {
  const TempDir folder;
  folder.write("file", "in the way");
  std::filesystem::create_directory(folder / "full");
  folder.write("full/old.npy", good);
  std::filesystem::create_directory(folder / ".next.unfinished");
  const Arguments call = words("--op ConvRelu --shape 1,2,6,6 --data exact --save");
  expect_refused(call + Arguments{"file"}, 3, "--save 'file': is a file; name a new folder", folder);
  expect_refused(call + Arguments{"full"}, 3, "--save 'full': is not empty; name a new folder", folder);
  expect_refused(call + Arguments{"absent/deep"}, 3, "--save 'absent/deep': cannot be created", folder);
  expect_refused(call + Arguments{"next"}, 3, "'.next.unfinished' is in the way", folder);
  expect_refused(call + Arguments{"/proc/fusecheck"}, 3, "--save '/proc/fusecheck': cannot be created", folder);
}

}  // namespace
}  // namespace fusecheck::testing
