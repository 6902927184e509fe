// The flags for a blob's headers, metadata, tags and tier.
#pragma once

#include <string>
#include <vector>

#include "azure/types.hpp"
#include "base/result.hpp"
#include "cli/flags/flags.hpp"
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

// Sets `content`, `access_tier`, `metadata` and `tags` of the options. Error: usage.
template <typename Options>
[[nodiscard]] Status read_content_flags(const ContentFlags& flags, Options& out) {
    auto metadata = read_metadata(flags.metadata);
    if (!metadata) return fail(metadata.error());
    auto tags = read_tags(flags.tags);
    if (!tags) return fail(tags.error());
    out.content = flags.content;
    out.access_tier = flags.access_tier;
    out.metadata = std::move(*metadata);
    out.tags = std::move(*tags);
    return {};
}

}  // namespace azlock::cli
