// The parts of the text report, each a block of whole lines.
#pragma once

#include <string>
#include <vector>

#include "fusecheck/check.hpp"

namespace fusecheck::report {

// One judged output and the data set it was judged on.
struct Judged {
  const DataSetReport* set = nullptr;
  const OutputReport* output = nullptr;
};

// Outputs in the order in which they first appear; with a kernel: only those that it gave.
std::vector<std::string> judged_outputs(const CheckReport& report);
// Everything judged of one output: of the kernel when there is one, else of the unfused and fused emulation.
std::vector<Judged> main_judgements(const CheckReport& report, const std::string& output);
std::vector<Judged> judgements_of(const CheckReport& report, const std::string& candidate);
// The worst of them by status, then by the share of the limit that is used, then by absolute error.
Judged worst_of(const std::vector<Judged>& judged);
// The largest difference of fused and unfused over the data sets; null where none was taken.
const Difference* largest_difference(const CheckReport& report, const std::string& output);
std::string place_of(const Judged& judged);         // "fused on stress"
std::string name_of_set(const DataSetReport& set);  // "stress"; "files" where every input of the forward was given

std::string header_text(const CheckReport& report, const CheckRequest& request);
std::string table_text(const CheckReport& report);
// Third party, self-check, standards, smallest fault, kinks, notes.
std::string facts_text(const CheckReport& report, const CheckRequest& request);
std::string failures_text(const CheckReport& report);  // a block per failing output, the nearest schedules

// "name      text": the left column of all labelled lines.
std::string labelled(const std::string& label, const std::string& text);

}  // namespace fusecheck::report
