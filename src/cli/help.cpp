#include <algorithm>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "report/version.hpp"

namespace fusecheck::cli {

std::string help_text() {
  std::string text =
      "fusecheck checks fused operators: against exact truth, forward and backward, and your kernel's outputs with "
      "it.\n"
      "\n"
      "  fusecheck --op ConvBnRelu --shape 1,64,56,56\n"
      "      is the fused algebra right? (no kernel needed)\n"
      "  fusecheck --op ConvBnRelu --shape 1,64,56,56 --data random --save case/\n"
      "      write inputs and truth as .npy; run your kernel on case/inputs\n"
      "  fusecheck --op ConvBnRelu --input case/inputs --actual my_outputs/\n"
      "      judge your kernel: my_outputs/y.npy, dx.npy ...\n"
      "\n"
      "Commands: list ops|models|tols|recipes, explain --op NAME --shape DIMS, version, help\n";
  std::string group;
  for (const Flag& flag : all_flags()) {
    if (flag.group != group) text += "\n" + flag.group + "\n";
    group = flag.group;
    std::string line = "  " + flag.name + (flag.value.empty() ? "" : " " + flag.value);
    line.resize(std::max<std::size_t>(line.size() + 2, 34), ' ');
    line += flag.doc;
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text +
         "\nExit codes: 0 pass, 1 fail, 2 usage or malformed file, 3 no verdict, 4 nothing proven, 70 internal "
         "error.\n";
}

std::string version_text() {
  return "fusecheck " + report::version() + "\n" + report::build_text() + "\nformats " + report::case_grammar + " " +
         report::result_schema + "\n";
}

}  // namespace fusecheck::cli
