// What a user asks for a blob besides its bytes: headers, tier, metadata, tags, and the condition of the write.
#pragma once

#include <string>
#include <vector>

#include "azure/types.hpp"
#include "base/result.hpp"

namespace azlock::ops {

struct ContentRequest {
    azure::ContentHeaders content;
    std::string access_tier;
    std::vector<std::string> metadata;  // NAME=VALUE, as the tags
    std::vector<std::string> tags;
};

// Error: usage, naming the pair's name.
[[nodiscard]] Result<azure::Metadata> make_metadata(const std::vector<std::string>& pairs);
// In the form of the header x-ms-tags. Error: usage.
[[nodiscard]] Result<std::string> make_tags(const std::vector<std::string>& pairs);

// A write takes one condition only [Conditional headers]. Error: usage.
[[nodiscard]] Status check_write_conditions(const azure::Conditions& conditions);

// Sets `content`, `access_tier`, `metadata` and `tags` of the options. Error: usage.
template <typename Options>
[[nodiscard]] Status take_content(const ContentRequest& request, Options& out) {
    auto metadata = make_metadata(request.metadata);
    if (!metadata) return fail(metadata.error());
    auto tags = make_tags(request.tags);
    if (!tags) return fail(tags.error());
    out.content = request.content;
    out.access_tier = request.access_tier;
    out.metadata = std::move(*metadata);
    out.tags = std::move(*tags);
    return {};
}

}  // namespace azlock::ops
