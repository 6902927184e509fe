// What a new content takes over from the blob that it replaces: Put Blob would reset all of it.
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

// What shall be otherwise than it was. Empty fields stay as they were.
struct PropertyChanges {
    azure::ContentHeaders content;  // md5 is not used
    azure::Metadata metadata;       // these pairs; others stay
    std::string tags;               // all of them, as PutBlobOptions::tags takes them
    std::string access_tier;
};

// Content headers but the MD5, metadata, tags, and a tier that was set explicitly (one that the account's default gave
// stays inferred).
[[nodiscard]] azure::PutBlobOptions kept_properties(const azure::BlobProperties& old, std::string tags);

// True where that changes anything.
bool apply_changes(azure::PutBlobOptions& options, const PropertyChanges& changes);

}  // namespace azlock::ops
