// Downloads one blob in parallel ranges, all of one version.
#pragma once

#include "azure/client.hpp"
#include "ops/transfer/metered_body.hpp"

namespace azlock::ops {

// Receives a download. Called from one thread at a time.
class DownloadTarget {
  public:
    virtual ~DownloadTarget() = default;
    // Called before the first write of each start, if the content is not empty. Error: there is no room for so much.
    [[nodiscard]] virtual Status expect(std::uint64_t bytes) {
        (void)bytes;
        return {};
    }
    // The next bytes of the content.
    [[nodiscard]] virtual Status write(ByteView data) = 0;
    // Drops everything that was written, because the blob changed meanwhile. False if that is impossible (a pipe).
    [[nodiscard]] virtual bool restart() = 0;
};

struct DownloadOptions {
    azure::Conditions conditions;
    std::uint64_t range_size = 4ULL * 1024 * 1024;  // bytes; at most
    std::size_t concurrency = 4;                    // at most
    std::uint64_t memory = 32ULL * 1024 * 1024;  // bytes of all ranges that are held at once; at least kSmallestRange
    bool check_md5 = true;                       // check the content against the blob's stored MD5, if it has one
    Meter meter = {};                            // with a rate limit, ranges take about a second each
};

// With little memory for many at once, ranges are smaller, down to this, and then fewer.
inline constexpr std::uint64_t kSmallestRange = 1024 * 1024;

struct DownloadReport {
    azure::BlobProperties properties;
    std::uint64_t bytes = 0;
    bool md5_checked = false;
};

// The first range gives the size and the version. The other ranges are read from that version with If-Match. An append
// blob may grow meanwhile: exactly what was there at the first range is read (growing_blob.hpp). If the
// blob changes meanwhile and the target can restart, the download starts again, up to three starts in all; else the
// error is precondition. Once an attempt has timed out, ranges come one after the other until the line carries more.
// Error (data): the content does not match the stored MD5. A blob of one range needs one request.
[[nodiscard]] Result<DownloadReport> download_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                   DownloadTarget& target, const DownloadOptions& options,
                                                   const azure::Call& call);

}  // namespace azlock::ops
