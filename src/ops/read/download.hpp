// Downloads one blob in parallel ranges, all of one version.
#pragma once

#include <functional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

// Where a download goes. Called from one thread at a time.
class DownloadTarget {
  public:
    virtual ~DownloadTarget() = default;
    // The next bytes of the content.
    [[nodiscard]] virtual Status write(ByteView data) = 0;
    // Forgets all that was written, because the blob changed meanwhile. False where that cannot be done (a pipe).
    [[nodiscard]] virtual bool restart() = 0;
};

struct DownloadOptions {
    azure::Conditions conditions;
    std::uint64_t range_size = 4ULL * 1024 * 1024;  // bytes; memory is about range_size * concurrency
    std::size_t concurrency = 4;
    bool check_md5 = true;  // against the blob's stored MD5, where it has one
};

struct DownloadReport {
    azure::BlobProperties properties;
    std::uint64_t bytes = 0;
    bool md5_checked = false;
};

// The first range tells size and version; the others are pinned to that version with If-Match. A blob that changes
// meanwhile is fetched again from the start, up to three times, where the target can start again; else: precondition.
// A content that does not match the stored MD5: data. A blob of one range is one request.
[[nodiscard]] Result<DownloadReport> download_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                   DownloadTarget& target, const DownloadOptions& options,
                                                   const azure::Call& call);

}  // namespace azlock::ops
