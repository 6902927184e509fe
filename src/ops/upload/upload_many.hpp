// Uploads many files over one pool: large ones in blocks, small ones beside them, none starving the other.
#pragma once

#include <functional>

#include "ops/upload/upload_file.hpp"

namespace azlock::ops {

struct UploadJob {
    std::string path;
    std::string blob;
    std::uint64_t size = 0;  // as it was when it was found
    std::string content_type;
};

// Is told of each file once, from any thread, one at a time.
using JobDone = std::function<void(std::size_t index, const UploadJob& job, const Result<UploadReport>& result)>;

// `job(index)` may be called from several threads at once. A file that fails stops no other, unless its error says the
// same of all of them (no right, no container, stopped by a signal): then the rest is not tried, and that error is the
// result. `options.concurrency` files or blocks are in work at once.
[[nodiscard]] Status upload_many(azure::BlobClient& client, const std::string& container, std::size_t count,
                                 const std::function<UploadJob(std::size_t)>& job, const UploadOptions& options,
                                 const Transfer& transfer, const JobDone& done, const azure::Call& call);

}  // namespace azlock::ops
