#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "report/version.hpp"
#include "suite/record.hpp"

namespace fusecheck::cli {

std::string help_text() {
  return "fusecheck is the referee for fused operators: exact truth, forward and backward, and how far a legal kernel "
         "may\n"
         "be from it, element by element.\n"
         "\n"
         "  fusecheck --op ConvBnRelu --shape 1,64,56,56\n"
         "      is the fused algebra right? (no kernel needed)\n"
         "  fusecheck --op ConvBnRelu --shape 1,64,56,56 --data random --save case\n"
         "      write inputs and truth as .npy; run your kernel on case/inputs\n"
         "  fusecheck --op ConvBnRelu --input case/inputs --actual my_outputs\n"
         "      judge your kernel: my_outputs/y.npy, dx.npy ...; or let it run: --exec './run {dir}', --plugin lib.so\n"
         "\n"
         "Case      --op --shape --oc --kernel --stride --pad --dilation --groups --eps --momentum --bias --bn --attr\n"
         "          --dtype --param-dtype --direction --case\n"
         "Numerics  --recipe --round --model --simd --threads\n"
         "Data      --data --seed --dy --input\n"
         "Judging   --actual --exec --exec-batch --plugin --target --timeout --repeat --require --tol --atol --rtol "
         "--max-ulp --max-diff\n"
         "Output    --top --save --json\n"
         "Commands  list ops|models|tols|recipes|suites, explain --op NAME --shape DIMS, version, help, help flags\n"
         "          run SUITE, merge RESULTS..., gate RESULTS, golden make|check|..., compare A B: each with --help\n"
         "Exit      0 pass, 1 fail, 2 usage or malformed file, 3 no verdict, 4 nothing proven, 70 internal error\n";
}

std::string flags_text() { return flags_text(all_flags()); }

std::string version_text() {
  return "fusecheck " + report::version() + "\n" + report::build_text() + "\nformats " + report::case_grammar + " " +
         report::result_schema + " " + suite::run_schema + "\n";
}

}  // namespace fusecheck::cli
