// Wrong flags, shapes, attributes and types: exit 2 and one line that names the value and the way out.
#include "cli/cli_test_support.hpp"

namespace fusecheck::testing {
namespace {

struct Wrong {
  const char* call;
  const char* says;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.call; }

class WrongCall : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongCall, IsRefusedBeforeAnythingIsWritten) {
  const TempDir folder;
  expect_refused(words(GetParam().call) + Arguments{"--save", "saved"}, 2, GetParam().says, folder);
}

INSTANTIATE_TEST_SUITE_P(
    Flags, WrongCall,
    ::testing::Values(
        Wrong{"--op ConvRelu --shap 1,2,6,6", "unknown option '--shap'. Did you mean '--shape'?"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --op ConvBn", "--op is given 2 times: 'ConvRelu' and 'ConvBn'"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --bias --bias", "--bias is given 2 times"},
        Wrong{"--op= --shape 1,2,6,6", "--op has no value"},
        Wrong{"--op ConvRelu --shape --bias", "--shape has no value ('--bias' is the next flag)"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --json=yes", "--json takes no value"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 ConvBn", "unexpected word 'ConvBn': only flags may stand here"},
        Wrong{"--op ConvBNRelu --shape 1,2,6,6",
              "unknown op 'ConvBNRelu'; 'fusecheck list ops' shows all. Did you mean 'ConvBnRelu'?"},
        Wrong{"--shape 1,2,6,6", "--op is missing"},
        Wrong{"--body y=relo(x) --shape 2", "column 3: unknown op 'relo'. Did you mean 'relu'?"},
        Wrong{"--body y=relu(x) --op relu --shape 2", "give one of them"},
        Wrong{"--body a=relu(r);y=a+x --shape x=2", "body needs --shape: the dimensions of r"},
        Wrong{"--body a=relu(r);y=a+x --shape 2", "body needs --shape: the dimensions of r"},
        Wrong{"--body m=relu(s);y=batch_norm(x,g,b,m,v) --shape s=2 --shape x=1,2,3", "--direction fwd"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --kernel 3 --kernel 5", "--kernel is given 2 times: '3' and '5'"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --kernel three", "--kernel: 'three' is not a number"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --exec k --plugin k.so", "--exec and --plugin exclude each other"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --exec k --actual out", "exclude each other: one of them is judged"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --exec k --timeout 0", "--timeout 0 is outside 0..1e6 seconds"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --exec k --repeat 0", "--repeat 0 is outside 1..1000"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --repeat 2", "--repeat is about a kernel that is run"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --target a2", "--target names a chip of a contract"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --seed -1", "--seed '-1' is not a whole number from 0 to 2^64-1"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --threads 0", "--threads 0 is outside 1..256"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --threads two", "--threads: 'two' is not an integer"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --top -3", "--top -3 is outside 0..1000"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --simd sse9", "--simd 'sse9' is none of auto, scalar, avx2, avx512"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --data randm", "unknown data set 'randm'"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --data random,random", "names random twice"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --direction back", "--direction 'back' is none of fwd, bwd, both"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --dy zeros", "--dy 'zeros' is none of random, ones"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --tol bond", "'bond' is unknown. Did you mean 'bound'?"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --tol bound --atol 1", "exclude each other"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --atol le-3", "--atol: 'le-3' is not a number"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --rtol -1e-3", "--rtol -1e-3 is negative"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --max-ulp 1.5", "--max-ulp: '1.5' is not an integer"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --max-diff nan", "--max-diff: 'nan' is not a number"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --model ieeee", "model 'ieeee' is unknown"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --require y", "--require names outputs of a kernel"},
        Wrong{"--case ConvRelu/f16/x=1x2x6x6 --stride 2", "leave out --stride or --case"},
        Wrong{"--case ConvRelu/f16", "needs at least OP/DTYPE/x=DIMS"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, WrongCall,
    ::testing::Values(Wrong{"--op ConvRelu", "needs --shape: the dimensions of x"},
                      Wrong{"--op ConvRelu --shape 1,2,6", "needs 4 numbers n,c,h,w, got 3"},
                      Wrong{"--op ConvRelu --shape 1,2,,6", "shape '1,2,,6'"},
                      Wrong{"--op ConvRelu --shape 1,2,0,6 --pad 0", "does not fit into x = 1x2x0x6"},
                      Wrong{"--op ConvRelu --shape 1,2,6,six", "shape '1,2,6,six'"},
                      Wrong{"--op ConvRelu --shape 1,2,6,-6", "dimension -6 is negative"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --shape x=1,2,6,6", "--shape of x is given twice"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --shape q=3", "tensor 'q'"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --shape w=2,3,3,3", "expected 2x2x3x3"},
                      Wrong{"--op ConvRelu --shape 1048576,1048576,6,6", "more than 2^40 elements"},
                      Wrong{"--op ConvRelu --shape [1,2,6,6]", "numbers stand without brackets"},
                      Wrong{"--op ConvAdd --shape 1,2,6,6 --shape residual=1,2,6,7", "1x2x6x7"}));

INSTANTIATE_TEST_SUITE_P(
    Attributes, WrongCall,
    ::testing::Values(
        Wrong{"--op ConvRelu --shape 1,2,6,6 --kernel 3,3,3", "kernel takes 1 or 2 numbers, got 3"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --kernel 0", "--kernel 0: 0 is below 1"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --kernel 2.5", "2.5 is not a whole number"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --pad 1,2,3", "pad takes 1 or 2 or 4 numbers, got 3"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --pad -1", "--pad -1: -1 is below 0"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --kernel 7 --pad 0", "use more --pad or a larger input"},
        Wrong{"--op ConvRelu --shape 1,3,6,6 --groups 2", "--groups 2"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --eps 1e-3", "ConvRelu has no attribute 'eps'"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --bn train", "ConvRelu has no attribute 'bn'"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --bn training", "--bn 'training' is none of infer, train"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --eps -1", "--eps -1: -1 is below 0"},
        Wrong{"--op ConvBn --shape 1,2,1,1 --bn train", "more than one value per channel"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --bn train --recipe fold", "recipe 'fold' of ConvBn is not for --bn train"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --recipe flod", "Did you mean 'fold'?"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --round cnov=f16", "no rounding point 'cnov'"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --round w_folded=f16",
              "recipe epilogue of ConvRelu has no rounding point 'w_folded', but conv, dconv"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --recipe conv_stored --round b_folded=f16",
              "recipe conv_stored of ConvBn has no rounding point 'b_folded', but bn, dconv"},
        Wrong{"--op ConvBn --shape 1,2,6,6 --round conv", "--round 'conv' is not NAME=VALUE"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --attr stride", "--attr 'stride' is not NAME=VALUE"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --attr strid=2", "has no attribute 'strid'. Did you mean 'stride'?"},
        Wrong{"--op ConvRelu --shape 1,2,6,6 --stride 2 --attr stride=3", "stride is given twice"}));

INSTANTIATE_TEST_SUITE_P(
    Dtypes, WrongCall,
    ::testing::Values(Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype fp17", "dtype 'fp17' is unknown"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype i32", "a case is f16, bf16 or f32"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype f16,f32", "names two types for the case"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype f16,gama=f32", "tensor 'gama'"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype f16,w=", "--dtype 'w=' is not NAME=VALUE"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype f16,w=f32,w=f16", "--dtype of w is given twice"},
                      Wrong{"--op ConvRelu --shape 1,2,6,6 --dtype f16,w=u8", "only floating types"},
                      Wrong{"--op ConvBn --shape 1,2,6,6 --param-dtype float99", "dtype 'float99' is unknown"},
                      Wrong{"--op ConvBn --shape 1,2,6,6 --round conv=f17", "dtype 'f17' is unknown"}));

// 10^12 elements of x alone, 8 TB in double: no machine of today.
TEST(HugeShape, IsNoVerdictAndNoBug) {
  const TempDir folder;
  expect_refused(words("--op ConvRelu --shape 1,1,1000000,1000000 --save saved"), 3, "use a smaller --shape", folder);
}

TEST(WrongWord, IsNotTakenForACommand) {
  const TempDir folder;
  expect_refused({"lst", "ops"}, 2, "unknown command 'lst'. Did you mean 'list'?", folder);
  expect_refused({"ops"}, 2, "say 'fusecheck list ops'", folder);
  expect_refused({"list", "op"}, 2, "Did you mean 'ops'?", folder);
  expect_refused({"list"}, 2, "list takes one word", folder);
  expect_refused({"version", "please"}, 2, "version takes nothing behind it", folder);
  expect_refused({"explain", "ConvRelu"}, 2, "unexpected word 'ConvRelu'", folder);
}

TEST(NoWords, GiveShortHelpAndExitTwo) {
  const CommandResult result = run_fusecheck({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::HasSubstr("fusecheck --op ConvBnRelu --shape 1,64,56,56\n"));
}

}  // namespace
}  // namespace fusecheck::testing
