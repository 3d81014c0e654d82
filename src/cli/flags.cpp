#include "cli/flags.hpp"

#include <algorithm>

#include "fusecheck/error.hpp"

namespace fusecheck::cli {

const std::vector<Flag>& all_flags() {
  const bool again = true, in_case = true;
  static const std::vector<Flag> flags = {
      {"--op", "NAME", false, in_case, "Case", "fused op or primitive: 'fusecheck list ops'"},
      {"--body", "TEXT|FILE", false, in_case, "Case",
       "your own op of primitives, as in 'c = conv2d(x, w); y = relu(f16(c) + r)'"},
      {"--shape", "[NAME=]DIMS", again, in_case, "Case", "of x (1,64,56,56 or 1x64x56x56), or of another input"},
      {"--oc", "N", false, in_case, "Case", "output channels (as many as x has)"},
      {"--kernel", "K|KH,KW|FILE", again, in_case, "Case",
       "kernel size (3), or your kernel's contract (docs/kernels.md)"},
      {"--stride", "S|SH,SW", false, in_case, "Case", "(1)"},
      {"--pad", "P|PH,PW|T,L,B,R", false, in_case, "Case", "top, left, bottom, right (dilation*(kernel-1)/2)"},
      {"--dilation", "D|DH,DW", false, in_case, "Case", "(1)"},
      {"--groups", "N", false, in_case, "Case", "(1)"},
      {"--eps", "NUMBER", false, in_case, "Case", "of batch_norm (1e-5)"},
      {"--momentum", "NUMBER", false, in_case, "Case", "of the running statistics (0.1)"},
      {"--bias", "", false, in_case, "Case", "the convolution has a bias"},
      {"--bn", "infer|train", false, in_case, "Case", "given or batch statistics (infer)"},
      {"--attr", "NAME=NUMBERS", again, in_case, "Case", "any attribute of the op"},
      {"--dtype", "T[,NAME=T...]", false, in_case, "Case",
       "f16, bf16, f32, f64; of the case, then of single tensors (f16)"},
      {"--param-dtype", "T", false, in_case, "Case", "of b, gamma, beta, mean, var and their gradients (f32)"},
      {"--direction", "fwd|bwd|both", false, in_case, "Case", "(both); bwd reads saved tensors from --input"},
      {"--case", "LINE", false, false, "Case", "all of the above in one word, as a report prints it"},
      {"--recipe", "NAME|any", false, in_case, "Numerics", "how a kernel may compute (epilogue; any for a kernel)"},
      {"--round", "POINT=T", again, in_case, "Numerics", "what one rounding point does: f16, bf16, f32, keep, storage"},
      {"--model", "NAME", false, in_case, "Numerics", "how the device computes (ieee): 'fusecheck list models'"},
      {"--simd", "auto|scalar|avx2|avx512", false, false, "Numerics", "force a path; the bits are the same on each"},
      {"--threads", "N", false, false, "Numerics", "(all processors); the bits are the same for any number"},
      {"--data", "exact|random|stress|all", false, in_case, "Data", "sets to draw (all; random for files)"},
      {"--seed", "N", false, in_case, "Data", "(1)"},
      {"--dy", "random|ones", false, in_case, "Data", "(random)"},
      {"--input", "NAME=FILE|DIR", again, false, "Data", ".npy or .bin that replace drawn tensors"},
      {"--actual", "NAME=FILE|DIR", again, false, "Judging", "outputs of your kernel, to be judged"},
      {"--exec", "COMMAND", false, false, "Judging",
       "run your kernel: 'run_kernel {dir}' for each data set (docs/kernels.md)"},
      {"--exec-batch", "COMMAND", false, false, "Judging",
       "one process for all: folders on stdin, 'done PATH' on stdout"},
      {"--plugin", "LIBRARY", false, false, "Judging", "your kernel as a shared library (fusecheck_plugin.h)"},
      {"--target", "NAME", false, false, "Judging", "a chip of the contract: its model and recipe"},
      {"--timeout", "SECONDS", false, false, "Judging", "for one run of your kernel (60)"},
      {"--repeat", "N", false, false, "Judging", "runs of your kernel, compared bit by bit (1; 2 for --plugin)"},
      {"--require", "NAME[,NAME...]", again, false, "Judging", "outputs that must be there"},
      {"--tol", "NAME", false, false, "Judging", "acceptance standard (bound): 'fusecheck list tols'"},
      {"--atol", "NUMBER", false, false, "Judging", "with --rtol: |actual - truth| <= atol + rtol*|truth|"},
      {"--rtol", "NUMBER", false, false, "Judging", ""},
      {"--max-ulp", "N", false, false, "Judging", "largest distance from the truth in ULP"},
      {"--max-diff", "NUMBER", false, false, "Judging", "fused against unfused: largest absolute difference"},
      {"--top", "N", false, false, "Output", "worst elements shown (5)"},
      {"--save", "DIR", false, false, "Output",
       "write inputs, truth and every candidate's outputs as .npy, and result.json, to a new folder"},
      {"--json", "", false, false, "Output", "one document fusecheck.result/1 on stdout (docs/json.md)"},
  };
  return flags;
}

std::vector<Flag> case_flags() {
  std::vector<Flag> flags;
  for (const Flag& flag : all_flags()) {
    if (flag.case_part || flag.name == "--case") flags.push_back(flag);
  }
  return flags;
}

std::string flags_text(const std::vector<Flag>& flags) {
  std::string text, group;
  for (const Flag& flag : flags) {
    if (flag.group != group) text += (text.empty() ? "" : "\n") + flag.group + "\n";
    group = flag.group;
    std::string line = "  " + (flag.letter.empty() ? "" : flag.letter + " ") + flag.name +
                       (flag.value.empty() ? "" : " " + flag.value);
    line.resize(std::max<std::size_t>(line.size() + 2, 34), ' ');
    line += flag.doc;
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

const std::string& Given::one(const std::string& flag) const {
  const auto found = values_.find(flag);
  if (found == values_.end() || found->second.empty()) internal_error(flag + " was read but not given");
  return found->second.front();
}

std::vector<std::string> Given::all(const std::string& flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace fusecheck::cli
