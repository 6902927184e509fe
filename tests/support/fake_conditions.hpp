// If-Match, If-None-Match and the two date conditions, as reads, blob writes and containers take them.
#pragma once

#include <string>

#include "support/fake_wire.hpp"

namespace azlock::test::fake {

// What conditions are compared with.
struct Subject {
    bool exists = false;  // a blob of staged blocks only does not exist
    std::string etag;     // without quotes
    WallTime last_modified;
};

// What "If-None-Match: *" means to a write when there is a blob.
enum class Star {
    already_exists,  // 409 BlobAlreadyExists: Put Blob, Put Block List (azure-storage-cpp#42, elasticsearch#91883)
    ignored,         // Delete (opendal#8176), Set Blob Properties
    unmet,           // 412: what the reference page says; nobody has published a probe of the rest
};

[[nodiscard]] Check check_read(const Call& call, const Subject& subject);
[[nodiscard]] Check check_write(const Call& call, const Subject& subject, Star star);
// Containers take dates only.
[[nodiscard]] Check check_container(const Call& call, WallTime last_modified, bool takes_unmodified_since);

}  // namespace azlock::test::fake
