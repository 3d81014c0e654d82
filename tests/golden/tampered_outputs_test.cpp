// Outputs that are readable and wrong: of another case, unwritten, stale, in another layout, of another shape.
#include "tampering.hpp"

namespace fusecheck::testing {
namespace {

class TamperedOutputs : public Tampered {};

TEST_P(TamperedOutputs, IsCaughtAndNamed) { expect_caught(); }

INSTANTIATE_TEST_SUITE_P(AnotherCase, TamperedOutputs,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"y", copied("y"), {}, 1, "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/exact"},
                             {"dx", copied("dx"), {}, 1, "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/exact"},
                             {"dw", copied("dw"), {}, 1, "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/exact"},
                             {"y in a tree", copied("y"), tree, 1,
                              "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/exact"},
                             {"an input of this case",
                              [](const Place& p) { overwrite(p.out / "dx.npy", read_bytes(p.golden / "in/x.npy")); },
                              {},
                              1,
                              "bit for bit in/x of this case"}}));

INSTANTIATE_TEST_SUITE_P(Zeros, TamperedOutputs,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"y", filled("y", 0), {}, 1, "every element is 0: the output was not written"},
                             {"dx", filled("dx", 0), {}, 1, "every element is 0: the output was not written"},
                             {"dw", filled("dw", -0.0), tree, 1, "every element is 0: the output was not written"},
                             {"the second half of y",
                              changed("y", [](std::vector<double>& v) { std::fill(v.begin() + 128, v.end(), 0); }),
                              {},
                              1,
                              "every bad element has c in [8,16), the last 8 of 16"}}));

INSTANTIATE_TEST_SUITE_P(
    NotANumber, TamperedOutputs,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"y", filled("y", std::numeric_limits<double>::quiet_NaN()), {}, 1, "every element is NaN"},
        {"dw", filled("dw", std::numeric_limits<double>::quiet_NaN()), {}, 1, "every element is NaN"},
        {"one of y",
         changed("y", [](std::vector<double>& v) { v[37] = std::numeric_limits<double>::quiet_NaN(); }),
         {},
         1,
         "1 of 256 elements outside the limit (0.39 %), 1 of them NaN or Inf"},
        {"one infinity in dx",
         changed("dx", [](std::vector<double>& v) { v[5] = std::numeric_limits<double>::infinity(); }),
         {},
         1,
         "1 of 32 elements outside the limit (3.12 %), 1 of them NaN or Inf"}}));

INSTANTIATE_TEST_SUITE_P(PreviousCase, TamperedOutputs,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"y", previous("y"), {}, 1, "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/random/s7"},
                             {"dx", previous("dx"), {}, 1, "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/random/s7"},
                             {"dw", previous("dw"), {}, 1, "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/random/s7"},
                             {"y under a named standard",
                              previous("y"),
                              {"--tol", "torch"},
                              1,
                              "of another case, ConvRelu/f16/x=1x2x4x4/oc=16/random/s7"}}));

INSTANTIATE_TEST_SUITE_P(Stale, TamperedOutputs,
                         ::testing::ValuesIn(std::vector<Tampering>{
                             {"another hash",
                              done(std::string(64, '0') + "  case.json\n"),
                              {},
                              3,
                              "stale: its DONE names case.json '00000000'"},
                             {"nothing", done(""), {}, 3, "stale: its DONE names"},
                             {"another case's hash",
                              [](const Place& p) {
                                overwrite(p.out / "DONE", golden::sha256_of(read_bytes(p.other_golden / "case.json")));
                              },
                              {},
                              3,
                              "stale: its DONE names"},
                             {"in a tree", done(std::string(64, 'a')), tree, 3, "oc=16/random: out/ConvRelu/"}}));

INSTANTIATE_TEST_SUITE_P(
    WrongLayout, TamperedOutputs,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"nhwc in the logical shape",
         laid_out("y", "nhwc", As::logical),
         {},
         1,
         "a layout misread: the file is nhwc (1x4x4x16) read as nchw; as nhwc it passes: --layout y=nhwc"},
        {"nc1hwc0 in the logical shape",
         laid_out("y", "nc1hwc0", As::logical),
         {"--layout", "y=nchw"},
         1,
         "read as nchw"},
        {"nhwc of dx as .bin", laid_out("dx", "nhwc", As::bin), {}, 1, "as nhwc it passes: --layout dx=nhwc"},
        {"nc1hwc0 in its own shape",
         laid_out("y", "nc1hwc0", As::buffer),
         {},
         2,
         "it would be nc1hwc0 (1x1x4x4x16): --layout y=nc1hwc0"},
        {"nc1hwc0 of dx as .bin",
         laid_out("dx", "nc1hwc0", As::bin),
         {},
         2,
         "it would be nc1hwc0 (1x1x4x4x16): --layout dx=nc1hwc0"},
        {"nchw where nhwc is declared",
         [](const Place&) {},
         {"--layout", "y=nhwc"},
         2,
         "y.npy' holds 1x16x4x4, the case's y is 1x4x4x16 in nhwc"}}));

INSTANTIATE_TEST_SUITE_P(
    DirtyPadding, TamperedOutputs,
    ::testing::ValuesIn(std::vector<Tampering>{
        {"one lane",
         dirty("nc1hwc0", 5, 0.5),
         {"--layout", "dx=nc1hwc0"},
         1,
         "dx: 1 of 224 padding lanes of nc1hwc0 are not 0, first at [0,0,0,0,5]: 0.5"},
        {"the last lane", dirty("nc1hwc0", 255, 1), {"--layout", "dx=nc1hwc0"}, 1, "first at [0,0,3,3,15]: 1"},
        {"NaN",
         dirty("nc1hwc0", 2, std::numeric_limits<double>::quiet_NaN()),
         {"--layout", "dx=nc1hwc0"},
         1,
         "first at [0,0,0,0,2]: nan"},
        {"nz",
         dirty("nz", 4, 3),
         {"--layout", "dx=nz"},
         1,
         "padding lanes of nz are not 0, first at [0,0,0,0,0,4]: 3"}}));

INSTANTIATE_TEST_SUITE_P(OffByOne, TamperedOutputs, ::testing::ValuesIn(std::vector<Tampering>{
{"a column more", reshaped("y", DType::f16, {1, 16, 4, 5}), {}, 2, "y.npy' holds 1x16x4x5, the case's y is 1x16x4x4"},
{"a row fewer", reshaped("y", DType::f16, {1, 16, 3, 4}), {}, 2, "y.npy' holds 1x16x3x4, the case's y is 1x16x4x4"},
{"a channel fewer", reshaped("dx", DType::f16, {1, 1, 4, 4}), {}, 2, "dx.npy' holds 1x1x4x4, the case's dx is 1x2x4x4"},
{"a batch axis lost", reshaped("y", DType::f16, {16, 4, 4}), {}, 2, "y.npy' holds 16x4x4, the case's y is 1x16x4x4"},
{"an element more in .bin", [](const Place& p) { fs::remove(p.out / "y.npy"); overwrite(p.out / "y.bin", std::string(514, '\0')); }, {}, 2, "has 514 bytes, expected 512 (1x16x4x4 f16): 2 bytes more"},
{"golden input", [](const Place& p) { write_npy(p.golden / "in/x.npy", Tensor(DType::f16, {1, 2, 4, 5})); }, {}, 2, "golden in/x of"}}));

// What the hints say is true: a layout that is declared passes.
TEST_F(GoldenTree, ADeclaredLayoutPasses) {
  const Tensor dx = read_tensor(out() / "dx.npy");
  for (const char* layout : {"nhwc", "nc1hwc0", "nz"}) {
    laid_out("dx", layout, As::buffer)({dir.path(), golden(), out(), golden(exact_line), out(exact_line)});
    const CommandResult result = compare({"--layout", std::string("dx=") + layout});
    EXPECT_EQ(result.exit_code, 0) << layout << result.out << result.err;
    write_npy(out() / "dx.npy", dx);
  }
}

TEST_F(GoldenTree, ATrueDonePasses) {
  overwrite(out() / "DONE", golden::sha256_of(read_bytes(golden() / "case.json")) + "  case.json\n");
  EXPECT_EQ(compare().exit_code, 0);
}

}  // namespace
}  // namespace fusecheck::testing
