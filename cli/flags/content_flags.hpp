// The flags for a blob's headers, metadata, tags and tier.
#pragma once

#include <string>
#include <vector>

#include "azure/types.hpp"
#include "base/result.hpp"
#include "cli/program/parser.hpp"

namespace azlock::cli {

struct ContentFlags {
    azure::ContentHeaders content;
    std::string access_tier;
    std::vector<std::string> metadata;
    std::vector<std::string> tags;
};
// `type_default`: the default of --content-type, in words for the help.
void add_content_flags(Parser& command, ContentFlags& flags, const std::string& type_default);

// "K=V" pairs in the form of the header x-ms-tags. Error: usage.
[[nodiscard]] Result<std::string> read_tags(const std::vector<std::string>& pairs);

}  // namespace azlock::cli
