// Uploads many files at once: large files in blocks, and small files in parallel, so that neither kind delays the
// other.
#pragma once

#include <functional>

#include "ops/upload/upload_file.hpp"

namespace azlock::ops {

struct UploadJob {
    std::string path;
    std::string blob;
    std::uint64_t size = 0;  // at the time the file was found
    std::string content_type;
};

// Called once for each file, from any thread, one call at a time.
using JobDone = std::function<void(std::size_t index, const UploadJob& job, const Result<UploadReport>& result)>;

// `job(index)` may be called from several threads at once. A file that fails does not stop the others, unless its error
// concerns all of them (no permission, no container, stopped by a signal). Then the rest is not tried, and that error
// is returned. `options.concurrency` files or blocks are sent at once.
[[nodiscard]] Status upload_many(azure::BlobClient& client, const std::string& container, std::size_t count,
                                 const std::function<UploadJob(std::size_t)>& job, const UploadOptions& options,
                                 const Transfer& transfer, const JobDone& done, const azure::Call& call);

}  // namespace azlock::ops
