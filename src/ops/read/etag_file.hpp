// Keeps the ETag of a local copy in a file, so that the next read fetches the content only if it has changed.
#pragma once

#include <string>

#include "azure/types.hpp"
#include "base/atomic_file.hpp"

namespace azlock::ops {

// A symbolic link of another user (neither ours nor root's) is not followed: that is an error of the functions below.

// The ETag in the file; empty if the file is missing or empty. Errors: data (no ETag), input_missing (unreadable).
[[nodiscard]] Result<std::string> read_etag_file(const std::string& path);

// The conditions of a read that wants only a new version: that ETag becomes If-None-Match. An empty path: no file.
// Errors: usage (If-None-Match is given, too, or is `*`, under which a read cannot succeed), those of read_etag_file().
[[nodiscard]] Status take_etag_file(const std::string& path, azure::Conditions& conditions);

// Replaces the file as a whole. An empty ETag makes it empty. Errors: io.
[[nodiscard]] Status save_etag_file(const std::string& path, const std::string& etag);

// A version of a blob, as the service names it.
struct CopyVersion {
    std::string etag;
    std::string last_modified;  // the header; may be empty
};

// Commits the content, then saves its ETag. A crash in between leaves an older ETag with newer content, which costs one
// more download. The opposite never happens, even if several processes use the same two files at once. `seen`: the ETag
// that the file had before the download. If it has another one now, somebody else has saved a version meanwhile: if
// that is the later one, it stays. Returns its ETag then; empty: the content was committed. Which one is later is
// decided by Last-Modified, which the file has as its modification time, and within a second by the ETag's number.
[[nodiscard]] Result<std::string> commit_with_etag(AtomicFile& content, const std::string& path,
                                                   const CopyVersion& version, const std::string& seen);

}  // namespace azlock::ops
