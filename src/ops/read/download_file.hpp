// Downloads a blob to a local file, and keeps the ETag of that copy beside it.
#pragma once

#include <optional>
#include <string>

#include "ops/read/download.hpp"

namespace azlock::ops {

struct FileDownload {
    std::string path;  // the file that was written
    DownloadReport report;
    // The ETag of a later version, which somebody else has written to the file meanwhile; it stays. Empty: the file has
    // what was downloaded.
    std::string superseded_by = {};
};

// Writes the file completely or not at all. `file`: its path; a directory or nothing: the last part of the blob's name,
// in that directory or in the current one. With an ETag file, the ETag is saved after the content; if the file to write
// is missing, options.conditions.if_none_match is not used, because the content is needed whatever ETag was saved.
// Errors: those of download_blob(); usage (the blob's name cannot be a file name, the ETag file is the file itself);
// io.
[[nodiscard]] Result<FileDownload> download_to_file(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                    const std::string& file, const std::string& etag_file,
                                                    DownloadOptions options, const azure::Call& call);

// The same; but the file "-" is `standard_output`, and then the result is nullopt.
[[nodiscard]] Result<std::optional<FileDownload>> download_as_asked(
    azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& file, const std::string& etag_file,
    DownloadTarget& standard_output, const DownloadOptions& options, const azure::Call& call);

}  // namespace azlock::ops
