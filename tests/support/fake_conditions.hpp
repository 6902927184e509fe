// If-Match, If-None-Match and the two date conditions, by the rules for reads, blob writes and containers.
#pragma once

#include <string>

#include "support/fake_wire.hpp"

namespace azlock::test::fake {

// What conditions are compared with.
struct Subject {
    bool exists = false;  // a blob that has only staged blocks does not exist
    std::string etag;     // without quotes
    WallTime last_modified;
};

// What "If-None-Match: *" does in a write if the blob exists.
enum class Star {
    already_exists,  // 409 BlobAlreadyExists: Put Blob, Put Block List (azure-storage-cpp#42, elasticsearch#91883)
    ignored,         // Delete (opendal#8176), Set Blob Properties
    unmet,           // 412, as the reference page says; nobody has published a test of the other operations
};

[[nodiscard]] Check check_read(const Call& call, const Subject& subject);
[[nodiscard]] Check check_write(const Call& call, const Subject& subject, Star star);
// Containers take dates only.
[[nodiscard]] Check check_container(const Call& call, WallTime last_modified, bool takes_unmodified_since);

}  // namespace azlock::test::fake
