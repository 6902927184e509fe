// Uploads the files of a selection at once: large files in blocks, and small files in parallel, so that neither kind
// delays the other.
#pragma once

#include <map>

#include "ops/files/content_type.hpp"
#include "ops/files/file_selection.hpp"
#include "ops/upload/upload_file.hpp"

namespace azlock::ops {

struct ManyReport {
    std::uint64_t files = 0;  // with those that could not be selected
    std::uint64_t uploaded = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t existing = 0;  // left alone (UploadOptions::leave_existing)
    std::uint64_t failed = 0;
    std::uint64_t not_finished = 0;  // not tried, or stopped by a signal
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;
    bool unseen = false;  // of some blob (UploadReport)
    // By the order of the files; those that could not be selected come first. At most 1,000 are kept.
    std::map<std::size_t, Error> failures;
    // Success: every file is there. Else cancelled, or the error of the first failure, with the number of failed files.
    Status outcome;
};

// A file that fails does not stop the others, unless its error concerns all of them (no permission, no container,
// stopped by a signal). Then the rest is not tried. `options.concurrency` files or blocks are sent at once. `types`:
// for the files to which the options give no content type.
[[nodiscard]] ManyReport upload_many(azure::BlobClient& client, const std::string& container,
                                     const Selection& selection, const ContentTypes& types,
                                     const UploadOptions& options, const Transfer& transfer, const azure::Call& call);

// The outcome of a run that only selects: success, or the first failure, with the number of files that cannot be taken.
[[nodiscard]] Status selection_outcome(const Selection& selection);

}  // namespace azlock::ops
