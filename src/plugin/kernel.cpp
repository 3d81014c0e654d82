#include "plugin/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "fusecheck/error.hpp"
#include "plugin/compare_runs.hpp"

namespace fusecheck::plugin {
namespace {

using Outcome = CandidateOutputs::Outcome;

CandidateOutputs rejected(Tensors outputs, const std::string& why) {
  return {Outcome::rejected, std::move(outputs), why};
}

// One run: the outputs hold poison, the kernel runs, the outputs are read.
struct Attempt {
  Run run;
  TransportEnd end;
  bool ran() const { return end.outcome == Outcome::ran; }
};

// The folder has another name in every run; results must not.
void hide_folder(std::string& text, const CaseFolder& folder) {
  const std::string path = folder.path.string();
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
    text.replace(at, path.size(), "{dir}");
  }
}

Attempt attempt(Session& session, const CaseFolder& folder, Poison poison) {
  Attempt one;
  one.run.poison = poison;
  write_poison(folder, poison);
  one.end = session.run(folder, poison);
  try {
    for (const TensorPlace& place : folder.outputs) {
      if (one.ran()) one.run.stored.emplace(place.name, read_stored(folder, place));
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    one.end = {Outcome::failed, error.what()};
  }
  hide_folder(one.end.message, folder);
  for (std::string& line : one.end.error_lines) hide_folder(line, folder);
  return one;
}

// An input file that no longer holds what was written.
std::optional<std::string> modified_input(const CaseFolder& folder, const Tensors& inputs) {
  for (const TensorPlace& place : folder.inputs) {
    const Tensor written = tensor::to_buffer(inputs.find(place.name)->second, place.layout);
    try {
      const Tensor now = read_stored(folder, place);
      if (std::memcmp(now.bytes().data(), written.bytes().data(), now.bytes().size()) == 0) continue;
    } catch (const Error&) {
      return "modifies its input " + place.name + ": " + place.file + " is not what was written";
    }
    return "modifies its input " + place.name + " (" + place.file + ")";
  }
  return std::nullopt;
}

// Two runs differ although nothing but the memory before them did, or not even that: which of the two it is, two more
// runs with the first one's poison say.
std::string why_different(Session& session, const CaseFolder& folder, const Run& first, const std::string& where) {
  for (int i = 0; i < 2; ++i) {
    const Attempt again = attempt(session, folder, first.poison);
    if (!again.ran()) return "differs from run to run, then " + again.end.message + " (" + where + ")";
    if (const auto other = difference(folder, first, again.run)) {
      return "differs from run to run on the same input (" + *other + ")";
    }
  }
  return "reads memory that it has not written: its result depends on what lay there before (" + where + ")";
}

// The logical tensors, or the first whose padding lanes are not zero.
std::optional<std::string> take_outputs(const CaseFolder& folder, const Tensors& stored, Tensors& outputs) {
  std::optional<std::string> dirty;
  for (const TensorPlace& place : folder.outputs) {
    tensor::FromBuffer read =
        tensor::from_buffer(stored.find(place.name)->second, place.layout, place.shape, place.name);
    if (!read.dirty.empty() && !dirty) {
      dirty = "leaves " + std::to_string(read.dirty.size()) + " of " + std::to_string(read.padding) +
              " padding lanes of " + place.name + " (" + tensor::to_text(place.layout) + ") not zero";
    }
    outputs.emplace(place.name, std::move(read.logical));
  }
  return dirty;
}

class Kernel {
 public:
  Kernel(std::shared_ptr<Transport> transport, KernelRules rules)
      : transport_(std::move(transport)), rules_(std::move(rules)) {}

  CandidateOutputs run(const CandidateCase& one) const {
    std::unique_ptr<Session> session = transport_->take();
    CandidateOutputs given = run_in(*session, one);
    transport_->give_back(std::move(session));
    return given;
  }

 private:
  CandidateOutputs run_in(Session& session, const CandidateCase& one) const {
    TempFolder root;
    const CaseFolder folder = describe(one, rules_.files, rules_.outputs, root.path());
    require_outputs(one);
    write_inputs(folder, one.inputs);
    std::vector<Run> runs;
    std::optional<std::string> different;
    for (int i = 0; i < std::max(rules_.repeat, 1); ++i) {
      Attempt now = attempt(session, folder, i % 2 == 0 ? Poison::nan : Poison::number);
      if (!now.ran()) {
        const std::string when = i == 0 ? "" : " in run " + std::to_string(i + 1);
        return {now.end.outcome, {}, now.end.message + when, std::move(now.end.error_lines)};
      }
      // Two are kept, one of each poison; the others are compared and forgotten.
      if (i < 2) runs.push_back(std::move(now.run));
      const Run& last = i < 2 ? runs.back() : now.run;
      if (i > 0) different = difference(folder, runs[0], last);
      if (different) break;
      if (i > 0) continue;
      if (const auto why = modified_input(folder, one.inputs)) return rejected({}, "the kernel " + *why);
    }
    CandidateOutputs given = judge_runs(session, folder, runs, different);
    if (rules_.repeat > 1 && transport_->keeps_process() && given.outcome == Outcome::ran && session.usable()) {
      if (const auto why = changed_earlier(session, folder)) given = rejected(std::move(given.outputs), *why);
      session.earlier.reset(new EarlierCase{std::move(root), folder, std::move(runs[0])});
    }
    return given;
  }

  // A contract that names an output of another direction would leave nothing to judge.
  void require_outputs(const CandidateCase& one) const {
    const bool some =
        rules_.outputs.empty() || std::any_of(one.outputs.begin(), one.outputs.end(), [&](const auto& name) {
          return std::find(rules_.outputs.begin(), rules_.outputs.end(), name) != rules_.outputs.end();
        });
    if (!some) {
      usage_error("the kernel gives " + base::join(rules_.outputs, ", ") + ", the case asks for " +
                  base::join(one.outputs, ", ") + "; set its direction");
    }
  }

  static CandidateOutputs judge_runs(Session& session, const CaseFolder& folder, const std::vector<Run>& runs,
                                     const std::optional<std::string>& different) {
    CandidateOutputs given;
    std::vector<std::string> parts;
    for (const TensorPlace& place : folder.outputs) {
      const Unwritten left = unwritten(place, runs);
      if (left.count == 0) continue;
      if (left.count == left.size) {
        return {Outcome::failed,
                {},
                "the kernel ended well, but did not write its output " + place.name + " (" + place.file + ")"};
      }
      parts.push_back(left.text);
    }
    const std::optional<std::string> dirty = take_outputs(folder, runs[0].stored, given.outputs);
    if (different) {
      return rejected(std::move(given.outputs), "the kernel " + why_different(session, folder, runs[0], *different));
    }
    if (!parts.empty()) {
      return rejected(std::move(given.outputs), "the kernel leaves unwritten: " + base::join(parts, "; "));
    }
    if (dirty) return rejected(std::move(given.outputs), "the kernel " + *dirty);
    return given;
  }

  // The case before this one, run again: state that one case leaves behind shows in the other order.
  static std::optional<std::string> changed_earlier(Session& session, const CaseFolder& folder) {
    if (session.earlier == nullptr) return std::nullopt;
    const CaseFolder& earlier = session.earlier->folder;
    const Attempt again = attempt(session, earlier, Poison::nan);
    const std::string order = "the kernel keeps state: " + earlier.line + " run again after " + folder.line;
    if (!again.ran()) return order + " " + again.end.message;
    const auto where = difference(earlier, session.earlier->run, again.run);
    if (!where) return std::nullopt;
    return order + " gives other bits (" + *where + ")";
  }

  std::shared_ptr<Transport> transport_;
  KernelRules rules_;
};

}  // namespace

Candidate make_candidate(std::shared_ptr<Transport> transport, KernelRules rules) {
  return
      [kernel = Kernel(std::move(transport), std::move(rules))](const CandidateCase& one) { return kernel.run(one); };
}

}  // namespace fusecheck::plugin
