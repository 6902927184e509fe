// Uploads small content with one Put Blob: one request, unless a condition or a lost answer needs more.
#pragma once

#include "ops/transfer/metered_body.hpp"
#include "ops/upload/upload_target.hpp"

namespace azlock::ops {

// Calls `check_unchanged` after it has read the content for its checksum, and when the service finds that checksum
// wrong. Without condition and fence, the first Put Blob has no condition; repeats replace only the version that was
// seen. `longest_send`: as in azure::Call, for the content alone. If the network delays the first request for long
// enough, it can still arrive after later writes.
[[nodiscard]] Result<UploadReport> put_blob(const UploadTarget& destination, std::shared_ptr<const http::Body> content,
                                            const std::function<Status()>& check_unchanged, const Meter& meter,
                                            const azure::Call& call, std::chrono::milliseconds longest_send = {});

}  // namespace azlock::ops
