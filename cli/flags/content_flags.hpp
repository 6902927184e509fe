// The flags for what a blob has besides its content: headers, metadata, tags, tier.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "azure/types.hpp"
#include "base/result.hpp"

namespace azlock::cli {

struct ContentFlags {
    azure::ContentHeaders content;
    std::string access_tier;
    std::vector<std::string> metadata;
    std::vector<std::string> tags;
};
// `type_default`: for the help, what the content type is without its flag.
void add_content_flags(CLI::App& command, ContentFlags& flags, const std::string& type_default);

// "K=V" pairs as the header x-ms-tags takes them. Error: usage.
[[nodiscard]] Result<std::string> read_tags(const std::vector<std::string>& pairs);

}  // namespace azlock::cli
