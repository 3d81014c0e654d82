// fusecheck.result/1: every field is described in docs/json.md, and a test holds the two together.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/report.hpp"
#include "report/version.hpp"

namespace fusecheck::report {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinities: they are the strings "nan", "inf" and "-inf".
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json worst_json(const std::vector<WorstElement>& worst) {
  Json list = Json::array();
  for (const WorstElement& element : worst) {
    list.push_back({{"index", element.index},
                    {"actual", number(element.actual)},
                    {"truth", number(element.truth)},
                    {"low", number(element.low)},
                    {"high", number(element.high)},
                    {"ulp", element.ulp}});
  }
  return list;
}

Json standards_json(const Judgement& judgement) {
  Json all = Json::object();
  for (const auto& [name, passed] : judgement.standards) all[name] = passed;
  return all;
}

Json output_json(const OutputReport& output) {
  const Judgement& j = output.judgement;
  return {{"name", output.output},
          {"status", name_of(j.status)},
          {"reason", j.reason},
          {"dtype", name_of(output.dtype)},
          {"shape", output.shape},
          {"n", j.n},
          {"bad", j.bad},
          {"nonfinite_mismatch", j.nonfinite_mismatch},
          {"max_abs", number(j.max_abs)},
          {"max_ulp", j.max_ulp},
          {"limit_ulp", number(j.limit_ulp)},
          {"rigorous_limit_ulp", number(j.rigorous_limit_ulp)},
          {"used", number(j.used)},
          {"flips_predicted", number(j.flips_predicted)},
          {"flips_seen", j.flips_seen},
          {"flips_observed", j.flips_observed},
          {"rms", number(j.rms)},
          {"mean", number(j.mean)},
          {"mean_ulp", number(j.mean_ulp)},
          {"groups", j.groups},
          {"statistics_judged", j.statistics_judged},
          {"smallest_visible", number(j.smallest_visible)},
          {"smallest_atol", number(j.smallest_atol)},
          {"standards", standards_json(j)},
          {"recipe", output.recipe},
          {"sha256", output.sha256},
          {"where",
           {{"lines", j.where.lines},
            {"per_axis", j.where.per_axis},
            {"border", j.where.border},
            {"interior", j.where.interior}}},
          {"worst", worst_json(j.worst)}};
}

// Candidates in the order of their first output.
Json candidates_json(const DataSetReport& set) {
  Json list = Json::array();
  for (const OutputReport& output : set.outputs) {
    Json* found = nullptr;
    for (Json& candidate : list) {
      if (candidate["name"] == output.candidate) found = &candidate;
    }
    if (found == nullptr) {
      list.push_back({{"name", output.candidate}, {"outputs", Json::array()}});
      found = &list.back();
    }
    (*found)["outputs"].push_back(output_json(output));
  }
  return list;
}

Json nearest_json(const DataSetReport& set) {
  Json list = Json::array();
  for (const DataSetReport::Nearest& near : set.nearest) {
    list.push_back(
        {{"schedule", near.schedule}, {"declare", near.declare}, {"outside", near.outside}, {"lossy", near.lossy}});
  }
  return list;
}

Json differences_json(const DataSetReport& set) {
  Json list = Json::array();
  for (const Difference& difference : set.differences) {
    list.push_back({{"name", difference.output},
                    {"max_abs", number(difference.max_abs)},
                    {"max_ulp", difference.max_ulp},
                    {"within", difference.within}});
  }
  return list;
}

// Null where no kernel was run.
Json kernel_json(const DataSetReport& set, const CheckRequest& request) {
  if (!request.kernel) return nullptr;
  return {{"status", name_of(set.kernel)}, {"message", set.kernel_message}, {"stderr", set.kernel_errors}};
}

Json attributes_json(const Attrs& attrs) {
  Json all = Json::object();
  for (const auto& [name, value] : attrs.all()) {
    Json list = Json::array();
    for (const double element : value) list.push_back(number(element));
    all[name] = list;
  }
  return all;
}

Json set_json(const DataSetReport& set, const CheckRequest& request) {
  Json to_body = Json::object();
  for (const auto& [output, distance] : set.to_body) to_body[output] = number(distance);
  return {{"set", name_of(set.set)},
          {"attributes", attributes_json(set.attrs)},
          {"from_files", set.from_files},
          {"kernel", kernel_json(set, request)},
          {"candidates", candidates_json(set)},
          {"differences", differences_json(set)},
          {"to_body", to_body},
          {"gradient_check", set.gradient_check < 0 ? Json(nullptr) : number(set.gradient_check)},
          {"kinks_zeroed", set.kinks_zeroed},
          {"kinks_total", set.kinks_total},
          {"explained_by", set.explained_by},
          {"nearest", nearest_json(set)},
          {"notes", set.notes}};
}

Json tensors_json(const CheckReport& report) {
  Json all = Json::object();
  for (const auto& [name, shape] : report.shapes) {
    const auto dtype = report.dtypes.find(name);
    all[name] = {{"shape", shape},
                 {"dtype", dtype == report.dtypes.end() ? Json(nullptr) : Json(name_of(dtype->second))}};
  }
  return all;
}

Json given_json(const Tensors& tensors) {
  Json list = Json::array();
  for (const auto& [name, tensor] : tensors) list.push_back(name);
  return list;
}

Json document_of(const CheckReport& report, const CheckRequest& request, int exit) {
  const CaseSpec& spec = report.spec;
  Json document = {{"schema", result_schema},
                   {"version", version()},
                   {"case", to_line(request.spec)},
                   {"exit", exit},
                   {"status", name_of(report.status)},
                   {"kernel_judged", report.kernel_judged},
                   {"op", report.op},
                   {"formula", report.formula},
                   {"recipe", report.recipe},
                   {"model", to_text(spec.model)},
                   {"limit", to_text(request.judge.tolerance)},
                   {"max_diff", request.max_diff ? number(*request.max_diff) : Json(nullptr)},
                   {"seed", spec.seed},
                   {"attributes", attributes_json(spec.attrs)},
                   {"tensors", tensors_json(report)},
                   {"given_inputs", given_json(request.inputs)},
                   {"given_outputs", given_json(request.actual)}};
  Json sets = Json::array();
  for (const DataSetReport& set : report.sets) sets.push_back(set_json(set, request));
  document["data"] = std::move(sets);
  document["notes"] = report.notes;
  document["repro"] = report.repro;
  return document;
}

}  // namespace

std::string json_report(const CheckReport& report, const CheckRequest& request, int exit) {
  return document_of(report, request, exit).dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const CheckReport& report, const CheckRequest& request, int exit) {
  return document_of(report, request, exit).dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string json_error_line(const std::string& case_line, int exit, const std::string& error) {
  const Json document = {{"schema", result_schema}, {"version", version()}, {"case", case_line}, {"exit", exit},
                         {"status", "error"},       {"error", error}};
  return document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace fusecheck::report
