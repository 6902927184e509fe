// Blobs whose names the service, or something on the way to it, may read as those of other blobs.
#pragma once

#include "azure/client.hpp"

namespace azlock::ops {

// If a segment of the blob's name ends in '.': finds the blob in the listing, and makes its ETag the condition. So no
// request can touch another blob. No effect on other names. Errors: not_found (nothing has exactly this name),
// precondition (the user's ETag is another one), those of the listing.
[[nodiscard]] Status pin_listed_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                     azure::Conditions& conditions, const azure::Call& call);

}  // namespace azlock::ops
