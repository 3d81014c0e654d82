// The layers of the tree: every #include in it against layers.txt, and the checker against planted violations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/includes.hpp"
#include "support/temp_dir.hpp"

namespace fusecheck {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::IncludeRules;
using ::testing::IsEmpty;
using testing::parse_rules;
using testing::read_bytes;
using testing::source_files;
using testing::violations;

const std::filesystem::path root = FUSECHECK_SOURCE_DIR;

IncludeRules rules_of_the_tree() { return parse_rules(read_bytes(root / "tests/architecture/layers.txt")); }

TEST(Layers, HoldInTheWholeTree) {
  const IncludeRules rules = rules_of_the_tree();
  for (const std::string& file : source_files(root, rules)) {
    for (const std::string& violation : violations(file, read_bytes(root / file), rules)) ADD_FAILURE() << violation;
  }
}

// A checker that reads nothing finds nothing: it must have seen files of each part of the tree, and their includes.
TEST(Layers, AreCheckedInEveryPartOfTheTree) {
  const std::vector<std::string> files = source_files(root, rules_of_the_tree());
  for (const char* file : {"include/fusecheck/tensor.hpp", "src/base/text.cpp", "src/tensor/tensor.cpp",
                           "kernels_ref/relu.cpp", "tests/architecture/layers_test.cpp"}) {
    EXPECT_THAT(files, Contains(file));
  }
  for (const auto& entry : std::filesystem::directory_iterator(root / "src")) {
    const std::string folder = "src/" + entry.path().filename().string();
    EXPECT_FALSE(violations(folder + "/planted.cpp", "#include \"nowhere/x.hpp\"\n", rules_of_the_tree()).empty())
        << folder;
  }
}

// One include that the rules forbid, in the second line of a file of each layer.
TEST(Layers, RefuseWhatIsPlanted) {
  const IncludeRules rules = rules_of_the_tree();
  const auto planted = [&](const std::string& file, const std::string& include) {
    return violations(file, "// first line\n#include " + include + "\n", rules);
  };
  const auto below = [](const std::string& place, const std::string& name, const std::string& folder) {
    return ElementsAre(place + ":2: \"" + name + "\" is not below " + folder);
  };
  EXPECT_THAT(planted("src/base/x.cpp", "\"numeric/sums.hpp\""),
              below("src/base/x.cpp", "numeric/sums.hpp", "src/base"));
  EXPECT_THAT(planted("src/numeric/x.cpp", "\"tensor/element.hpp\""),
              below("src/numeric/x.cpp", "tensor/element.hpp", "src/numeric"));
  EXPECT_THAT(planted("src/engine/x.cpp", "\"graph/body.hpp\""),
              below("src/engine/x.cpp", "graph/body.hpp", "src/engine"));
  EXPECT_THAT(planted("src/run/x.cpp", "\"verify/where.hpp\""), below("src/run/x.cpp", "verify/where.hpp", "src/run"));
  EXPECT_THAT(planted("src/verify/x.cpp", "\"graph/body.hpp\""),
              below("src/verify/x.cpp", "graph/body.hpp", "src/verify"));
  EXPECT_THAT(planted("src/report/x.cpp", "\"check/case_info.hpp\""),
              below("src/report/x.cpp", "check/case_info.hpp", "src/report"));
  EXPECT_THAT(planted("src/cli/x.cpp", "\"run/context.hpp\""), below("src/cli/x.cpp", "run/context.hpp", "src/cli"));
  EXPECT_THAT(planted("include/fusecheck/x.hpp", "\"base/text.hpp\""),
              below("include/fusecheck/x.hpp", "base/text.hpp", "include/fusecheck"));
  EXPECT_THAT(planted("kernels_ref/x.cpp", "\"fusecheck/registry.hpp\""),
              below("kernels_ref/x.cpp", "fusecheck/registry.hpp", "kernels_ref"));
  EXPECT_THAT(planted("kernels_ref/family/x.hpp", "\"engine/contraction.hpp\""),
              below("kernels_ref/family/x.hpp", "engine/contraction.hpp", "kernels_ref"));
}

TEST(Layers, KeepThirdPartiesInTheirPlaces) {
  const IncludeRules rules = rules_of_the_tree();
  const auto planted = [&](const std::string& file, const std::string& header) {
    return violations(file, "\n  #  include <" + header + ">\n", rules);
  };
  const auto no_place = [](const std::string& file, const std::string& header) {
    return ElementsAre(file + ":2: <" + header + "> has no place here");
  };
  for (const char* header : {"spdlog/spdlog.h", "openssl/evp.h", "CLI/CLI.hpp", "nlohmann/json.hpp",
                             "oneapi/dnnl/dnnl.hpp", "dnnl.hpp", "Eigen/Core", "gtest/gtest.h", "immintrin.h"}) {
    EXPECT_THAT(planted("src/graph/x.cpp", header), no_place("src/graph/x.cpp", header));
    EXPECT_THAT(planted("include/fusecheck/x.hpp", header), no_place("include/fusecheck/x.hpp", header));
  }
  EXPECT_THAT(planted("src/base/digest.cpp", "openssl/evp.h"), IsEmpty());
  EXPECT_THAT(planted("src/base/digest_other.cpp", "openssl/evp.h"),
              no_place("src/base/digest_other.cpp", "openssl/evp.h"));
  EXPECT_THAT(planted("src/base/x.cpp", "boost/regex.hpp"),
              ElementsAre("src/base/x.cpp:2: <boost/regex.hpp> is in no rule"));
  EXPECT_THAT(planted("src/base/x.cpp", "math.h"), ElementsAre("src/base/x.cpp:2: <math.h> is in no rule"));
  EXPECT_THAT(planted("include/fusecheck/x.hpp", "vector"), IsEmpty());
}

TEST(Layers, LeaveNoWayAround) {
  const IncludeRules rules = rules_of_the_tree();
  const auto planted = [&](const std::string& line) { return violations("src/base/x.cpp", line, rules); };
  EXPECT_THAT(planted("#include \"base/../numeric/sums.hpp\""),
              ElementsAre("src/base/x.cpp:1: \"base/../numeric/sums.hpp\" leaves its folder"));
  EXPECT_THAT(planted("#include HEADER"), ElementsAre("src/base/x.cpp:1: an #include must name its file"));
  EXPECT_THAT(planted("#include\"numeric/sums.hpp\""),
              ElementsAre("src/base/x.cpp:1: \"numeric/sums.hpp\" is not below src/base"));
  EXPECT_THAT(planted("#include \"text.hpp\""), ElementsAre("src/base/x.cpp:1: \"text.hpp\" is not below src/base"));
  EXPECT_THAT(violations("src/new/x.cpp", "#include \"base/text.hpp\"", rules),
              ElementsAre("src/new/x.cpp:1: its folder is in no rule"));
  EXPECT_THAT(planted("// #include \"numeric/sums.hpp\""), IsEmpty());
}

}  // namespace
}  // namespace fusecheck
