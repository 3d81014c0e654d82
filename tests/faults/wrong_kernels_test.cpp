// Every mistake fails, on the output that it spoils, with that output given alone; where the mistake is local, the text
// names the place. The right kernel passes in every case that is used here. FUSECHECK_RUNS, whatever its value: five
// seeds in place of one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "mistakes_in_places.hpp"
#include "mistakes_in_values.hpp"

namespace fusecheck::testing {
namespace {

std::string in_type(std::string line, const std::string& dtype) { return line.replace(line.find("DTYPE"), 5, dtype); }

std::uint64_t seeds() { return std::getenv("FUSECHECK_RUNS") == nullptr ? 1 : 5; }

class WrongKernels : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_caught(const std::vector<Mistake>& mistakes) const {
    std::set<std::string> right_passes;
    for (const Mistake& mistake : mistakes) {
      for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        const std::string line = in_type(mistake.case_line, GetParam()) + "/s" + std::to_string(seed);
        const CaseSpec spec = parse_case(line);
        const Case of = make_case(spec, spec.data.front());
        if (right_passes.insert(line).second) {
          const CheckReport fine = check_kernel(of, right(of));
          ASSERT_NE(kernel_status(fine), Status::fail) << "the right kernel, " << line << "\n" << failures(fine);
        }
        const Tensors outputs = mistake.kernel(of);
        for (const std::string& output : mistake.spoils) {
          const CheckReport report = check_kernel(of, only(outputs, {output}));
          EXPECT_EQ(kernel_status(report), Status::fail)
              << mistake.name << " is not seen in " << output << ", " << line;
          if (kernel_status(report) != Status::fail) continue;
          EXPECT_NE(failures(report).find(mistake.place), std::string::npos)
              << mistake.name << ", " << line << ": '" << mistake.place << "' is not in\n"
              << failures(report);
        }
      }
    }
  }
};

TEST_P(WrongKernels, folding) { expect_caught(folding()); }
TEST_P(WrongKernels, statistics) { expect_caught(statistics()); }
TEST_P(WrongKernels, geometry) { expect_caught(geometry()); }
TEST_P(WrongKernels, tails) { expect_caught(tails()); }
TEST_P(WrongKernels, residuals_and_masks) { expect_caught(residuals_and_masks()); }

INSTANTIATE_TEST_SUITE_P(Type, WrongKernels, ::testing::Values("f16", "bf16", "f32"),
                         [](const auto& type) { return type.param; });

// What the three mistakes in the gradient are made from is right without them.
TEST(TrainingGradient, passes_with_both_terms) {
  for (const char* dtype : {"f16", "f32"}) {
    const CaseSpec spec = parse_case(in_type(train + "/random/s1", dtype));
    const Case of = make_case(spec, DataSet::random);
    const CheckReport report = check_kernel(of, training_gradient(1, 1)(of));
    EXPECT_NE(kernel_status(report), Status::fail) << failures(report);
  }
}

// A relu that gives 0 for NaN hides what went wrong before it. x[0] reaches the outputs (0, every channel, 0..1, 0..1).
TEST(SwallowedNan, fails_where_the_nan_belongs) {
  const CaseSpec spec = parse_case("ConvBnRelu/f16/x=2x20x9x7/oc=20/random/s1");
  Case of = make_case(spec, DataSet::random);
  Values x = of.inputs.at("x").doubles();
  x[0] = std::numeric_limits<double>::quiet_NaN();
  of = make_case(spec, DataSet::random, {{"x", stored(of.inputs.at("x"), x)}});
  Tensors outputs = right(of);
  EXPECT_NE(kernel_status(check_kernel(of, only(outputs, {"y"}))), Status::fail);
  Values y = outputs.at("y").doubles();
  for (double& value : y) value = value == value ? value : 0;
  const CheckReport report = check_kernel(of, {{"y", stored(outputs.at("y"), y)}});
  ASSERT_EQ(kernel_status(report), Status::fail);
  EXPECT_EQ(of_kernel(report).front().judgement.nonfinite_mismatch, 20 * 2 * 2);
}

// E[x²] - mean² on a convolution whose mean is a hundred times its standard deviation: declared, it is a recipe;
// undeclared it fails, and the report offers the declaration.
TEST(OnePassVariance, fails_until_it_is_declared) {
  CaseSpec spec = parse_case("ConvBn/f32/x=2x20x9x7/bn=train,kernel=1,oc=20/random/s1");
  Case of = make_case(spec, DataSet::random);
  Values x = of.inputs.at("x").doubles();
  for (double& value : x) value = 512 + value;
  of = make_case(spec, DataSet::random, {{"x", stored(of.inputs.at("x"), x)}});
  const Tensors outputs = emulate(of, run::find_schedule(of.context, "one_pass", {}), of.inputs);
  const CheckReport undeclared = check_kernel(of, outputs);
  EXPECT_EQ(kernel_status(undeclared), Status::fail);
  const auto& nearest = undeclared.sets.front().nearest;
  EXPECT_TRUE(std::any_of(nearest.begin(), nearest.end(), [](const DataSetReport::Nearest& n) {
    return n.schedule == "one_pass" && n.lossy && n.outside == 0;
  }));
  of.spec.recipe = "one_pass";
  const CheckReport declared = check_kernel(of, outputs);
  EXPECT_NE(kernel_status(declared), Status::fail) << failures(declared);
}

}  // namespace
}  // namespace fusecheck::testing
