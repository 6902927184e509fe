// A name with staged blocks and without a blob. Whether the service creates a blob there under If-None-Match: * is not
// published [Put Block]; the emulator refuses that.
#pragma once

#include "azure/client.hpp"

namespace azlock::ops {

// Whether blocks are staged under this name. False also if that cannot be found out.
[[nodiscard]] bool has_staged_blocks(azure::BlobClient& client, const azure::BlobAddress& blob,
                                     const azure::Call& call);

// The error (precondition) for such a name. `what`: that could not be made there, as "the task".
[[nodiscard]] Error only_staged(const azure::BlobAddress& blob, const std::string& what);

// What to do about the staged blocks, for a hint.
[[nodiscard]] std::string way_out_of_staged(const azure::BlobAddress& blob);

}  // namespace azlock::ops
