#include <algorithm>
#include <map>

#include "suite/reports.hpp"

namespace fusecheck::suite {
namespace {

// GitLab takes 30 MB and 250,000 elements; a project with that many cases wants groups (its documentation of unit test
// reports).
constexpr std::size_t most_cases_shown = 2000;
constexpr std::size_t most_failures_shown = 500;

// XML 1.0 has no way to write control characters.
std::string xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20;
    escaped += c == '&'   ? "&amp;"
               : c == '<' ? "&lt;"
               : c == '>' ? "&gt;"
               : c == '"' ? "&quot;"
               : control  ? " "
                          : std::string(1, c);
  }
  return escaped;
}

// "ConvBnRelu.f16"
std::string group_of(const std::string& id) {
  const std::size_t first = id.find('/');
  const std::size_t second = first == std::string::npos ? first : id.find_first_of("/,", first + 1);
  return second == std::string::npos ? id : id.substr(0, first) + "." + id.substr(first + 1, second - first - 1);
}

void write_case(std::ostream& out, const CaseRecord& record, const std::string& status) {
  out << "    <testcase classname=\"" << xml(group_of(record.id)) << "\" name=\"" << xml(record.id) << "\"";
  if (status == "pass") {
    out << "/>\n";
    return;
  }
  const bool failed = status == "fail" || status == "xpass";
  const std::string element = failed ? "failure" : status == "error" ? "error" : "skipped";
  out << ">\n      <" << element << (element == "skipped" ? "" : " type=\"" + status + "\"") << " message=\""
      << xml(status + ": " + record.reason) << "\"";
  out << (element == "skipped" ? "/>\n" : ">" + xml(record.repro) + "</" + element + ">\n") << "    </testcase>\n";
}

void write_groups(std::ostream& out, const ResultFile& file, const ReportOptions& options) {
  std::map<std::string, std::map<std::string, std::size_t>> groups;
  for_each_record(file,
                  [&](const CaseRecord& record) { ++groups[group_of(record.id)][status_on(record, options.today)]; });
  for (const auto& [group, counts] : groups) {
    out << "    <testcase classname=\"" << xml(file.header.suite) << "\" name=\"" << xml(group)
        << "\">\n      <properties>\n";
    for (const auto& [status, number] : counts) {
      out << "        <property name=\"" << status << "\" value=\"" << number << "\"/>\n";
    }
    out << "      </properties>\n    </testcase>\n";
  }
}

}  // namespace

void write_junit(std::ostream& out, const ResultFile& file, const ReportOptions& options) {
  const Counts counts = count(file, options.today);
  const bool grouped = file.count > most_cases_shown;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"" << xml(file.header.suite)
      << "\" tests=\"" << file.count << "\" failures=\"" << counts.of("fail") + counts.of("xpass") << "\" errors=\""
      << counts.of("error") << "\" skipped=\"" << counts.of("skip") + counts.of("xfail") + counts.of("weak") << "\">\n";
  if (grouped) write_groups(out, file, options);
  std::size_t shown = 0;
  for_each_record(file, [&](const CaseRecord& record) {
    const std::string status = status_on(record, options.today);
    if (grouped && (!needs_attention(status) || ++shown > most_failures_shown)) return;
    write_case(out, record, status);
  });
  if (shown > most_failures_shown) {
    out << "    <testcase classname=\"" << xml(file.header.suite) << "\" name=\"and " << shown - most_failures_shown
        << " more\">\n      <failure type=\"fail\" message=\"see the results file\"></failure>\n    </testcase>\n";
  }
  out << "  </testsuite>\n</testsuites>\n";
}

}  // namespace fusecheck::suite
