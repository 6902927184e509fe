// Small content as one Put Blob: one request, unless a condition or a lost answer asks for more.
#pragma once

#include <functional>

#include "ops/upload/upload_target.hpp"

namespace azlock::ops {

// `check_unchanged` is asked after the content has been read for its checksum, and when the service finds that wrong.
// Without condition and fence this is one unguarded Put Blob, repeated only over what a look has shown; that first one
// could still arrive after later writes where the network holds it back for so long.
[[nodiscard]] Result<UploadReport> put_whole(const Destination& destination, std::shared_ptr<const http::Body> content,
                                             const std::function<Status()>& check_unchanged, const Meter& meter,
                                             const azure::Call& call);

}  // namespace azlock::ops
