// Days as ISO 8601 writes them; as text they sort by time.
#pragma once

#include <string>

namespace fusecheck::suite {

bool is_date(const std::string& text);  // "2027-01-31", and the day exists
std::string date_of_today();            // UTC

}  // namespace fusecheck::suite
