// Blobs and containers as JSON and as lines for people.
#pragma once

#include <string>
#include <vector>

#include "azure/types.hpp"
#include "cli/output/output.hpp"

namespace azlock::cli {

[[nodiscard]] Json to_json(const azure::BlobProperties& properties);
[[nodiscard]] Json to_json(const azure::ContainerProperties& properties);

// "name: value" lines, only what is there.
[[nodiscard]] std::vector<std::string> describe(const azure::BlobProperties& properties);
[[nodiscard]] std::vector<std::string> describe(const azure::ContainerProperties& properties);

// "2026-11-21T08:00:00Z" out of an RFC 1123 date; the text itself where it is none.
[[nodiscard]] std::string short_date(const std::string& http_date);

}  // namespace azlock::cli
