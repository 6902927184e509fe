// The properties that new content keeps from the blob that it replaces: Put Blob would reset all of them.
#pragma once

#include <string>

#include "azure/requests.hpp"

namespace azlock::ops {

// The properties to change. Empty fields change nothing.
struct PropertyChanges {
    azure::ContentHeaders content;  // md5 is not used
    azure::Metadata metadata;       // these pairs; others stay
    std::string tags;               // replaces all tags; in the format of PutBlobOptions::tags
    std::string access_tier;
};

// Keeps the content headers except the MD5, metadata, tags, and a tier that was set explicitly. A tier from the
// account's default stays inferred.
[[nodiscard]] azure::PutBlobOptions kept_properties(const azure::BlobProperties& old, std::string tags);

// True if that changes anything.
bool apply_changes(azure::PutBlobOptions& options, const PropertyChanges& changes);

}  // namespace azlock::ops
