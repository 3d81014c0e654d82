// Files that are not what they were: damaged, exchanged, edited, absent, of another type.
#include "tampering.hpp"

namespace fusecheck::testing {
namespace {

// 43 + 76 + 9 bytes.
const std::string pointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 224\n";

class TamperedFiles : public Tampered {};

TEST_P(TamperedFiles, IsCaughtAndNamed) { expect_caught(); }

INSTANTIATE_TEST_SUITE_P(
    FlippedBit, TamperedFiles,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"input", golden_flipped("in/x.npy", 140, 0x10), {}, 3, "golden in/x of ConvRelu"},
        {"truth", golden_flipped("truth/dw.npy", 130, 0x01), check, 3, "golden truth/dw of ConvRelu"},
        {"mask", golden_flipped("saved/mask.npy", 128, 0x01), tree, 3, "golden saved/mask of ConvRelu"},
        {"exponent of an output", output_flipped("y.npy", 129, 0x40), {}, 1, "FAIL  y of actual"},
        {"header of an output", output_flipped("y.npy", 1, 0x01), {}, 2, "y.npy: is not a .npy file"},
        {"hash in case.json",
         [](const Place& p) {
           flip(p.golden / "case.json", read_bytes(p.golden / "case.json").find("sha256") + 10, 0x01);
         },
         {},
         3,
         "case.json: is not the one that index.json names"},
        {"bracket of case.json", golden_flipped("case.json", 0, 0x01), {}, 2, "case.json: is not JSON"}}));

INSTANTIATE_TEST_SUITE_P(
    Truncated, TamperedFiles,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"output",
         [](const Place& p) { cut(p.out / "y.npy", 400); },
         {},
         2,
         "truncated: payload has 272 bytes, its header promises 512"},
        {"output's header",
         [](const Place& p) { cut(p.out / "dx.npy", 60); },
         {},
         2,
         "dx.npy: truncated in the .npy header"},
        {"empty output", [](const Place& p) { cut(p.out / "dw.npy", 0); }, {}, 2, "dw.npy: is empty"},
        {"golden input",
         [](const Place& p) { cut(p.golden / "in/x.npy", 190); },
         {},
         2,
         "golden in/x of ConvRelu/f16/x=1x2x4x4/oc=16/random"},
        {"case.json", [](const Place& p) { cut(p.golden / "case.json", 500); }, {}, 2, "case.json: is not JSON"}}));

INSTANTIATE_TEST_SUITE_P(Swapped, TamperedFiles,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"input and truth of one shape",
                              [](const Place& p) { swap_files(p.golden / "in/x.npy", p.golden / "truth/dx.npy"); },
                              {},
                              3,
                              "golden in/x of"},
                             {"inputs of two shapes",
                              [](const Place& p) { swap_files(p.golden / "in/x.npy", p.golden / "in/w.npy"); },
                              {},
                              2,
                              "golden in/w of"},
                             {"outputs of two shapes",
                              [](const Place& p) { swap_files(p.out / "dw.npy", p.out / "dx.npy"); },
                              {},
                              2,
                              "dw.npy' holds 1x2x4x4, the case's dw is 16x2x3x3"},
                             {"manifests of two cases",
                              [](const Place& p) { swap_files(p.golden / "case.json", p.other_golden / "case.json"); },
                              {},
                              3,
                              "holds case ConvRelu/f16/x=1x2x4x4/oc=16/exact, index.json says"},
                             {"inputs of two cases",
                              [](const Place& p) { swap_files(p.golden / "in/w.npy", p.other_golden / "in/w.npy"); },
                              {},
                              3,
                              "golden in/w of"}}));

INSTANTIATE_TEST_SUITE_P(EditedManifest, TamperedFiles,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"limit",
                              [](const Place& p) { replace_text(p.golden / "case.json", "\"ulp\":0", "\"ulp\":9"); },
                              {},
                              3,
                              "is not the one that index.json names"},
                             {"limit and index", [](const Place& p) { forge(p, "\"ulp\":0", "\"ulp\":9"); }, check, 3,
                              "case.json differs from its derivation beside the hashes"},
                             {"seed and index",
                              [](const Place& p) {
                                forge(p, "oc=16/random", "oc=16/random/s2");
                                replace_text(p.root / "golden/index.json", "oc=16/random\"", "oc=16/random/s2\"");
                              },
                              {},
                              3,
                              "derives to SHA-256"},
                             {"version and index", [](const Place& p) { forge(p, "ConvRelu/1", "ConvRelu/2"); }, check,
                              3, "made under op ConvRelu/2, this is ConvRelu/1"},
                             {"another schema",
                              [](const Place& p) { replace_text(p.golden / "case.json", "golden/1", "golden/9"); },
                              {},
                              2,
                              "has schema 'fusecheck.golden/9', this version reads fusecheck.golden/1"},
                             {"a key too many",
                              [](const Place& p) {
                                replace_text(p.golden / "case.json", "\"op\":", "\"opp\": 1,\n  \"op\":");
                              },
                              {},
                              2,
                              "unknown key 'opp'. Did you mean 'op'?"},
                             {"spaces",
                              [](const Place& p) { replace_text(p.golden / "case.json", "\"op\": ", "\"op\":  "); },
                              {},
                              3,
                              "is not as fusecheck writes it"},
                             {"a file outside",
                              [](const Place& p) { forge(p, "\"in/x.npy\"", "\"../x.npy\""); },
                              {},
                              2,
                              "'../x.npy' leaves its folder"}}));

INSTANTIATE_TEST_SUITE_P(
    Missing, TamperedFiles,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"golden input", [](const Place& p) { fs::remove(p.golden / "in/x.npy"); }, {}, 3, "golden in/x of ConvRelu"},
        {"case.json", [](const Place& p) { fs::remove(p.golden / "case.json"); }, tree, 3, "case.json: no such file"},
        {"case folder", [](const Place& p) { fs::remove_all(p.golden); }, check, 3, "its folder golden/ConvRelu/"},
        {"index", [](const Place& p) { fs::remove(p.root / "golden/index.json"); }, tree, 3, "holds no index.json"},
        {"required output",
         [](const Place& p) { fs::remove(p.out / "dx.npy"); },
         {"--require", "y,dx"},
         3,
         "--require dx: the kernel's outputs hold no dx"},
        {"every output",
         [](const Place& p) {
           for (const char* f : {"y.npy", "dx.npy", "dw.npy"}) fs::remove(p.out / f);
         },
         {},
         3,
         "holds none of y, dx, dw as .npy or .bin"},
        {"outputs of one case", [](const Place& p) { fs::remove_all(p.out); }, tree, 3,
         "case ConvRelu/f16/x=1x2x4x4/oc=16/random: missing: "}}));

INSTANTIATE_TEST_SUITE_P(
    WrongType, TamperedFiles,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"f32 for f16", reshaped("y", DType::f32, {1, 16, 4, 4}), {}, 2, "y.npy' holds f32, the case's y is f16"},
        {"bit patterns", reshaped("y", DType::bf16, {1, 16, 4, 4}), {}, 2, "read as bf16 only where bf16 is declared"},
        {"integers", reshaped("dx", DType::i32, {1, 2, 4, 4}), {}, 2, "dx.npy' holds i32, the case's dx is f16"},
        {"declared", laid_out("y", "nd", As::bin), {"--dtype", "f32"}, 2, "--dtype f32: the case's "},
        {"golden input",
         [](const Place& p) { write_npy(p.golden / "in/x.npy", Tensor(DType::f32, {1, 2, 4, 4})); },
         {},
         2,
         "golden in/x of"}}));

INSTANTIATE_TEST_SUITE_P(LfsPointer, TamperedFiles,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"output",
                              [](const Place& p) { overwrite(p.out / "y.npy", pointer); },
                              {},
                              2,
                              "y.npy: is a Git LFS pointer (128 bytes), not data; run 'git lfs pull'"},
                             {"golden input",
                              [](const Place& p) { overwrite(p.golden / "in/x.npy", pointer); },
                              {},
                              2,
                              "is a Git LFS pointer"},
                             {"case.json",
                              [](const Place& p) { overwrite(p.golden / "case.json", pointer); },
                              {},
                              2,
                              "case.json: is a Git LFS pointer"},
                             {"index.json", [](const Place& p) { overwrite(p.root / "golden/index.json", pointer); },
                              tree, 2, "index.json: is a Git LFS pointer"}}));

}  // namespace
}  // namespace fusecheck::testing
