// Keeps the ETag of a local copy in a file, so that the next read fetches the content only if it has changed.
#pragma once

#include <string>

#include "base/atomic_file.hpp"

namespace azlock::ops {

// The ETag in the file; empty if the file is missing or empty. Errors: data (no ETag), input_missing (unreadable).
[[nodiscard]] Result<std::string> read_etag_file(const std::string& path);

// Replaces the file as a whole. An empty ETag makes it empty. Errors: io.
[[nodiscard]] Status save_etag_file(const std::string& path, const std::string& etag);

// Commits the content, then saves its ETag. A crash in between leaves an older ETag with newer content, which costs one
// more download. The opposite never happens, even if several processes use the same two files at once.
[[nodiscard]] Status commit_with_etag(AtomicFile& content, const std::string& path, const std::string& etag);

}  // namespace azlock::ops
