// Exports: names, layouts, hashes, and the script that checks them where there is no fusecheck.
#include <cmath>

#include "golden_test_support.hpp"
#include "tensor/memory_layout.hpp"

namespace fusecheck::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).generic_string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Export : public GoldenTree {
 protected:
  fs::path exported(const std::vector<std::string>& more, const std::string& source = "golden") {
    std::vector<std::string> words = {"golden", "export", source, "-o", "export"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return dir / ("export/" + case_folder(random_line));
  }
  // Debian's interpreter, for which python3-numpy is packaged.
  CommandResult script(const fs::path& folder) {
    return run_command({"/usr/bin/python3", "check.py"}, folder.string());
  }
};

TEST_F(Export, AscendcHasTheNamesOfASample) {
  const fs::path folder = exported({"--format", "ascendc"});
  EXPECT_THAT(names_below(folder / "input"),
              ElementsAre("input_dy.bin", "input_w.bin", "input_x.bin", "saved_mask.bin"));
  EXPECT_THAT(names_below(folder / "output"),
              ElementsAre("golden.bin", "golden_dw.bin", "golden_dx.bin", "golden_y.bin"));
  EXPECT_EQ(read_bytes(folder / "input/input_x.bin"), read_bytes(golden() / "in/x.npy").substr(128));
  EXPECT_EQ(read_bytes(folder / "output/golden.bin"), read_bytes(folder / "output/golden_y.bin"));
  EXPECT_THAT(read_bytes(folder / "meta.txt"),
              HasSubstr("output y float16 1x16x4x4 nd 1x16x4x4 output/output_y.bin output/golden_y.bin "
                        "limits/low_y.bin limits/high_y.bin\n"));
  EXPECT_EQ(run_command({"sha256sum", "--check", "--quiet", "SHA256SUMS"}, folder.string()).exit_code, 0);
}

TEST_F(Export, TheScriptPassesTheGoldenOutputAndFailsAWrongOne) {
  for (const char* format : {"ascendc", "npy"}) {
    const bool binary = std::string(format) == "ascendc";
    const fs::path folder = exported({"--format", format, "--layout", "nhwc"});
    const std::string end = binary ? ".bin" : ".npy", from = binary ? "output/golden_" : "golden/";
    EXPECT_EQ(script(folder).exit_code, 3) << "no output is there";
    fs::create_directories(folder / "out");
    const fs::path y = folder / ((binary ? "output/output_y" : "out/y") + end);
    fs::copy_file(folder / (from + "y" + end), y);
    const CommandResult passed = script(folder);
    EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
    EXPECT_EQ(passed.out, "pass y 0 of 256 outside []\n");
    flip(y, read_bytes(y).size() - 1, 0x40);  // the last element of nhwc: [0,3,3,15]
    const CommandResult failed = script(folder);
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_EQ(failed.out, "FAIL y 1 of 256 outside [[0, 3, 3, 15]]\n");
    overwrite(y, read_bytes(y).substr(0, 200));
    EXPECT_NE(script(folder).exit_code, 0);
    flip(folder / (binary ? "input/input_x.bin" : "in/x.npy"), 20, 1);
    EXPECT_EQ(script(folder).exit_code, 3) << "an input that is not the exported one";
    fs::remove_all(dir / "export");
  }
}

TEST_F(Export, LayoutsAreOfTheFiles) {
  const fs::path folder = exported({"--layout", "x=nc1hwc0", "--layout", "y=nhwc", "--recipe", "unfused"});
  const Tensor x = read_tensor(folder / "in/x.npy");
  EXPECT_EQ(x.shape(), (Shape{1, 1, 4, 4, 16}));
  EXPECT_EQ(tensor::from_buffer(x, tensor::parse_layout("nc1hwc0"), {1, 2, 4, 4}, "x").logical.doubles(),
            read_tensor(golden() / "in/x.npy").doubles());
  EXPECT_EQ(read_tensor(folder / "golden/y.npy").shape(), (Shape{1, 4, 4, 16}));
  EXPECT_EQ(read_tensor(folder / "golden/dx.npy").shape(), (Shape{1, 2, 4, 4}));
  EXPECT_THAT(read_bytes(folder / "case.txt"), HasSubstr("recipe unfused"));
}

// What is exported for a kernel passes 'compare' as that kernel's output.
TEST_F(Export, GoldenOutputsPassCompare) {
  exported({"--layout", "nhwc"});
  for (const char* line : {random_line, exact_line}) {
    const std::string folder = (dir / ("export/" + case_folder(line) + "/golden")).string();
    const CommandResult result = run({"compare", folder, golden(line).string(), "--layout", "nhwc"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }
}

// Names, indexes and suffixes of the kit's manual-data protocol; nothing else may lie in a test case's folder.
TEST_F(Export, TtkHasOnlyThePermittedNames) {
  exported({"--format", "ttk"});
  std::vector<std::string> expected;
  for (const char* line : {exact_line, random_line}) {
    std::string name = case_folder(line);  // ConvRelu/f16__x-1x2x4x4__oc-16__exact__ and eight digits
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == ','; }, '_');
    // Backward: dy, x, w, mask give dx, dw. Forward: x, w give y.
    for (const char* file :
         {"_bwd/golden_0_float16__shape_1x2x4x4.bin", "_bwd/golden_1_float16__shape_16x2x3x3.bin",
          "_bwd/input_0_float16.bin", "_bwd/input_1_float16.bin", "_bwd/input_2_float16.bin", "_bwd/input_3_bool.bin",
          "_fwd/golden_0_float16__shape_1x16x4x4.bin", "_fwd/input_0_float16.bin", "_fwd/input_1_float16.bin"}) {
      expected.push_back(name + file);
    }
  }
  EXPECT_EQ(names_below(dir / "export/manual_data"), expected);
  EXPECT_THAT(names_below(dir / "export"), Contains("cases.csv"));
  const std::string csv = read_bytes(dir / "export/cases.csv");
  EXPECT_THAT(csv, HasSubstr("testcase_name,op_name,input_shapes,input_dtypes,input_formats,output_shapes"));
  EXPECT_THAT(csv, HasSubstr(R"csv(_fwd,ConvRelu,"((1,2,4,4),(16,2,3,3))","('float16','float16')",)csv"
                             R"csv("('NCHW','NCHW')","((1,16,4,4),)","('float16',)","('NCHW',)",)csv"));
  const std::string forward = expected[6].substr(0, expected[6].find('/'));
  EXPECT_EQ(read_bytes(dir / ("export/manual_data/" + forward + "/input_0_float16.bin")),
            read_bytes(golden(exact_line) / "in/x.npy").substr(128));
}

// gamma, beta, mean and var are folded: W' = round(w*s), b' = beta + s*(b - mean), s = gamma/sqrt(var + eps), in f32.
TEST_F(Export, FoldGivesFoldedParameters) {
  const std::string line = "ConvBnRelu/f16/x=1x2x3x3/bias,oc=2/exact";
  ASSERT_EQ(run({"golden", "make", "--case", line}).exit_code, 0);
  exported({"--recipe", "fold"}, golden(line).string());
  const fs::path folder = dir / ("export/" + case_folder(line));
  const auto in = [&](const char* name) {
    return read_tensor(folder / ("in/" + std::string(name) + ".npy")).doubles();
  };
  const std::vector<double> w = in("w"), folded = in("w_folded"), b_folded = in("b_folded");
  const std::vector<double> gamma = in("gamma"), var = in("var"), beta = in("beta"), mean = in("mean"), b = in("b");
  for (std::size_t oc = 0; oc < 2; ++oc) {
    const double s = gamma[oc] / std::sqrt(var[oc] + 0x1p-10);  // exact data: var + eps is a power of four
    EXPECT_EQ(b_folded[oc], beta[oc] + s * (b[oc] - mean[oc]));
    for (std::size_t k = 0; k < 18; ++k) EXPECT_EQ(folded[oc * 18 + k], w[oc * 18 + k] * s);
  }
  EXPECT_THAT(read_bytes(folder / "meta.txt"), HasSubstr("input w_folded float16 2x2x3x3"));
  EXPECT_THAT(read_bytes(folder / "meta.txt"), HasSubstr("backward w float16 2x2x3x3"));
}

// The board's round trip of README: export, run in place, compare the exported tree itself.
TEST_F(Export, AnExportInWhichTheKernelRanIsATreeOfOutputs) {
  exported({"--format", "ascendc", "--layout", "nc1hwc0"});
  for (const char* line : {random_line, exact_line}) {
    const fs::path output = dir / ("export/" + case_folder(line) + "/output");
    for (const char* name : {"y", "dx", "dw"}) {
      fs::copy_file(output / ("golden_" + std::string(name) + ".bin"),
                    output / ("output_" + std::string(name) + ".bin"));
    }
  }
  const CommandResult passed = run({"compare", "export", "golden", "--layout", "nc1hwc0", "--require", "y,dx,dw"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  // 1x2x4x4 of dx is 256 lanes; the last is padding.
  flip(dir / ("export/" + case_folder(random_line) + "/output/output_dx.bin"), 2 * 255 + 1, 0x40);
  const CommandResult failed = run({"compare", "export", "golden", "--layout", "nc1hwc0"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.out, HasSubstr("dx: 1 of 224 padding lanes of nc1hwc0 are not 0, first at [0,0,3,3,15]: 2"));
}

TEST_F(Export, RefusesWhatItCannotDo) {
  const auto refused = [&](std::vector<std::string> more, int code, const char* says) {
    more.insert(more.begin(), {"golden", "export", "golden", "-o", "export"});
    const CommandResult result = run(more);
    EXPECT_EQ(result.exit_code, code) << says;
    EXPECT_THAT(result.err, HasSubstr(says));
    EXPECT_FALSE(fs::exists(dir / "export"));
    EXPECT_FALSE(fs::exists(dir / ".export.unfinished"));
  };
  refused({"--recipe", "fold"}, 2, "--recipe 'fold': case ConvRelu");
  refused({"--layout", "z=nhwc"}, 2, "--layout z=nhwc: the export has x, w, dy, mask, y, dx, dw");
  refused({"--case", "ConvRelu/f16/x=1x2x4x4/random"}, 3, "has no case");
  flip(golden() / "case.json", read_bytes(golden() / "case.json").find("sha256") + 10, 1);
  refused({}, 3, "case.json");
}

// What a .pb holds behind its fields of dims, type and name: the payload, last.
std::string payload_of(const fs::path& pb, std::size_t bytes) {
  const std::string all = read_bytes(pb);
  EXPECT_GT(all.size(), bytes);
  return all.substr(all.size() - bytes);
}

std::string payload_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()};
}

TEST_F(Export, OnnxIsAFolderOfItsBackendTests) {
  const fs::path folder = exported({"--format", "onnx"});
  EXPECT_THAT(names_below(folder), ElementsAre("SHA256SUMS", "model.onnx", "test_data_set_0/input_0.pb",
                                               "test_data_set_0/input_1.pb", "test_data_set_0/output_0.pb"));
  const golden::GoldenCase derived = golden::derive(parse_case(random_line), {});
  for (const auto& [file, name] : {std::pair("input_0.pb", "in/x"), std::pair("input_1.pb", "in/w"),
                                   std::pair("output_0.pb", "recipe/epilogue/truth/y")}) {
    const std::string payload = payload_of(derived.tensors.at(name));
    EXPECT_EQ(payload_of(folder / "test_data_set_0" / file, payload.size()), payload) << file;
  }
  // doc_string of the model: the case.
  EXPECT_THAT(read_bytes(folder / "model.onnx"), HasSubstr(random_line));
}

TEST_F(Export, OnnxHasTheSameBytesEachTime) {
  const CommandResult first = run({"golden", "export", "golden", "-o", "first", "--format", "onnx", "--threads", "1"});
  const CommandResult second =
      run({"golden", "export", "golden", "-o", "second", "--format", "onnx", "--threads", "2"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("forward only, gradients are no part of an ONNX export"));
  ASSERT_EQ(names_below(dir / "first").size(), 10U);  // two cases of five files
  for (const std::string& name : names_below(dir / "first")) {
    EXPECT_EQ(read_bytes(dir / "first" / name), read_bytes(dir / "second" / name)) << name;
  }
}

TEST_F(Export, OnnxRefusesWhatItCannotHold) {
  const std::string backward = "ConvRelu/f16/x=1x2x4x4/random/bwd";
  const std::string bn = "ConvBn/f16/x=1x2x4x4/random/fwd";
  ASSERT_EQ(run({"golden", "make", "--case", backward, "--case", bn, "-o", "more"}).exit_code, 0);
  const auto refused = [&](std::vector<std::string> more, const std::string& why) {
    std::vector<std::string> words = {"golden", "export", "more", "-o", "export", "--format", "onnx", "--case"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_FALSE(fs::exists(dir / "export"));
  };
  refused({backward}, "is the backward alone");
  refused({bn, "--recipe", "fold"}, "reads folded weights");
  refused({bn, "--layout", "nhwc"}, "leave it out with --format onnx");
}

}  // namespace
}  // namespace fusecheck::testing
