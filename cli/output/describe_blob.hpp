// Blobs and containers as JSON and as lines for people.
#pragma once

#include <string>
#include <vector>

#include "azure/types.hpp"
#include "cli/output/output.hpp"

namespace azlock::cli {

[[nodiscard]] Json to_json(const azure::BlobProperties& properties);
[[nodiscard]] Json to_json(const azure::ContainerProperties& properties);

// "name: value" lines, only for values that are set.
[[nodiscard]] std::vector<std::string> describe(const azure::BlobProperties& properties);
[[nodiscard]] std::vector<std::string> describe(const azure::ContainerProperties& properties);

// "2026-11-21T08:00:00Z" from an RFC 1123 date; the text itself if it is not such a date.
[[nodiscard]] std::string short_date(const std::string& http_date);

}  // namespace azlock::cli
