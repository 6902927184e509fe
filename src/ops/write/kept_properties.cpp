#include "ops/write/kept_properties.hpp"

#include "azure/metadata.hpp"

namespace azlock::ops {
namespace {

bool set(std::string& value, const std::string& to) {
    if (to.empty() || value == to) return false;
    value = to;
    return true;
}

}  // namespace

azure::PutBlobOptions kept_properties(const azure::BlobProperties& old, std::string tags) {
    azure::PutBlobOptions options;
    options.content = old.content;
    options.content.md5.clear();
    options.metadata = old.metadata;
    options.tags = std::move(tags);
    if (!old.access_tier_inferred) options.access_tier = old.access_tier;
    return options;
}

bool apply_changes(azure::PutBlobOptions& options, const PropertyChanges& changes) {
    azure::ContentHeaders& content = options.content;
    bool changed = set(content.type, changes.content.type);
    changed = set(content.encoding, changes.content.encoding) || changed;
    changed = set(content.language, changes.content.language) || changed;
    changed = set(content.disposition, changes.content.disposition) || changed;
    changed = set(content.cache_control, changes.content.cache_control) || changed;
    changed = set(options.tags, changes.tags) || changed;
    changed = set(options.access_tier, changes.access_tier) || changed;
    for (const auto& [name, value] : changes.metadata) {
        if (azure::find_metadata(options.metadata, name) == value) continue;
        azure::erase_metadata(options.metadata, name);
        options.metadata[name] = value;
        changed = true;
    }
    return changed;
}

}  // namespace azlock::ops
