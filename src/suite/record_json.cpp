// The only file of this folder that knows JSON.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fusecheck/error.hpp"
#include "suite/record.hpp"

namespace fusecheck::suite {
namespace {

using Json = nlohmann::ordered_json;

// As in fusecheck.result/1: JSON has no NaN and no infinities.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double read_number(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string text = json;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string dump(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

Json output_json(const OutputRecord& one) {
  return {{"set", one.set},
          {"output", one.output},
          {"candidate", one.candidate},
          {"status", one.status},
          {"recipe", one.recipe},
          {"n", one.n},
          {"bad", one.bad},
          {"nonfinite", one.nonfinite},
          {"max_ulp", one.max_ulp},
          {"flips", one.flips},
          {"max_abs", number(one.max_abs)},
          {"used", number(one.used)},
          {"mean_ulp", number(one.mean_ulp)},
          {"rms", number(one.rms)}};
}

OutputRecord read_output(const Json& json) {
  OutputRecord one;
  one.set = json.at("set");
  one.output = json.at("output");
  one.candidate = json.at("candidate");
  one.status = json.at("status");
  one.recipe = json.at("recipe");
  one.n = json.at("n");
  one.bad = json.at("bad");
  one.nonfinite = json.at("nonfinite");
  one.max_ulp = json.at("max_ulp");
  one.flips = json.at("flips");
  one.max_abs = read_number(json.at("max_abs"));
  one.used = read_number(json.at("used"));
  one.mean_ulp = read_number(json.at("mean_ulp"));
  one.rms = read_number(json.at("rms"));
  return one;
}

// Whatever the text is, the answer is a value or nothing.
template <class Read>
auto parsed(std::string_view line, Read read) -> std::optional<decltype(read(Json()))> {
  try {
    return read(Json::parse(line));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const Error&) {  // a shard that is none
    return std::nullopt;
  }
}

}  // namespace

std::string to_json(const RunHeader& header) {
  return dump({{"schema", run_schema},
               {"version", header.version},
               {"suite", header.suite},
               {"selection", header.selection},
               {"cases", header.cases},
               {"shard", to_text(header.shard)},
               {"target", header.target},
               {"kernel", header.kernel},
               {"contract", header.contract}});
}

std::string to_json(const CaseRecord& record) {
  Json line = {{"index", record.index}, {"case", record.id}, {"status", record.status}};
  if (!record.reason.empty()) line["reason"] = record.reason;
  if (!record.kind.empty()) line["kind"] = record.kind;
  line["model"] = record.model;
  line["limit"] = record.limit;
  if (!record.repro.empty()) line["repro"] = record.repro;
  if (record.known_failure) {
    line["known_failure"] = {{"owner", record.known_failure->owner},
                             {"reason", record.known_failure->reason},
                             {"expires", record.known_failure->expires}};
  }
  Json outputs = Json::array();
  for (const OutputRecord& one : record.outputs) outputs.push_back(output_json(one));
  line["outputs"] = std::move(outputs);
  return dump(line);
}

std::optional<RunHeader> parse_header(std::string_view line) {
  const auto read = [](const Json& json) {
    RunHeader header;
    header.version = json.at("version");
    header.suite = json.at("suite");
    header.selection = json.at("selection");
    header.cases = json.at("cases");
    const std::string shard = json.at("shard");
    header.shard = parse_shard(shard);
    header.target = json.at("target");
    header.kernel = json.at("kernel");
    header.contract = json.at("contract");
    return std::pair(json.at("schema").get<std::string>(), header);
  };
  const auto header = parsed(line, read);
  if (!header || header->first != run_schema) return std::nullopt;
  return header->second;
}

std::optional<CaseRecord> parse_record(std::string_view line) {
  return parsed(line, [](const Json& json) {
    CaseRecord record;
    record.index = json.at("index");
    record.id = json.at("case");
    record.status = json.at("status");
    record.reason = json.value("reason", "");
    record.kind = json.value("kind", "");
    record.model = json.at("model");
    record.limit = json.at("limit");
    record.repro = json.value("repro", "");
    if (json.contains("known_failure")) {
      const Json& known = json.at("known_failure");
      record.known_failure = {known.at("owner"), known.at("reason"), known.at("expires")};
    }
    for (const Json& one : json.at("outputs")) record.outputs.push_back(read_output(one));
    return record;
  });
}

std::string status_on(const CaseRecord& record, const std::string& today) {
  const bool expired = record.known_failure && record.known_failure->expires < today;  // ISO dates sort as text
  return record.status == "xfail" && expired ? "fail" : record.status;
}

}  // namespace fusecheck::suite
