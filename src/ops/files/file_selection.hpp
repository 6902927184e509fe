// Which local files an upload takes, and how their blobs are named.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ops/files/file_list.hpp"

namespace azlock::ops {

// A link that is named as a source (or listed) is followed, except under `refuse`. What a link within a directory does:
enum class SymlinkPolicy {
    skip,    // it is left out, and said so
    follow,  // it counts as what it points to; one that leads back to a directory that it is in is left out
    refuse,  // it is a failure, as is one that is named
};

struct SelectionRequest {
    std::vector<std::string> sources;  // files and directories as named on the command line; "-" is a file like any
    std::optional<std::string> files_from;  // a list of more of them; "-": on standard input
    bool null_separated = false;            // that list's paths end in NUL, not in a line end
    bool recursive = false;                 // directories may be sources
    std::vector<std::string> include;       // globs (base/glob.hpp); any at all: only what one of them matches
    std::vector<std::string> exclude;       // they win over `include`
    SymlinkPolicy symlinks = SymlinkPolicy::skip;
    std::string destination;  // the blob part of DEST, empty for the container
};

struct SkippedFile {
    std::string path;
    std::string reason;  // "a symbolic link"
};

struct Selection {
    FileList files;
    std::vector<SkippedFile> skipped;  // neither files nor directories, and what is not followed: worth a notice
    std::vector<Error> failures;       // what should have been taken and cannot be; `target` is the local path
    std::uint64_t excluded = 0;        // files and whole directories that the globs left out
};

// How blobs are named:
//  * One file and a destination that does not end in '/': that is the name. Everything else needs the container or a
//    destination ending in '/', below which names are made:
//  * a file gives its own name, without its directories;
//  * a directory `dir` gives "dir/..."; `dir/`, `dir/.`, "." and ".." give what is in it, without its own name;
//  * a listed path keeps its directories as listed, but for a leading "/" and parts ".". ("..": a failure.)
// Globs are matched against the path below the source (a file's own name; a listed path as it is named). One that
// matches a directory is for all that is in it.
//
// Order: sources as given, then the list; in a directory by name, byte by byte, depth first. Empty directories give
// nothing. The same file twice under one name is taken once.
//
// The error is usage for what makes no sense as a whole: no source, a directory without `recursive`, a destination that
// cannot take several files, a bad glob, two files for one blob; or that of an unreadable list; or cancelled.
[[nodiscard]] Result<Selection> select_files(const SelectionRequest& request, std::stop_token stop = {});

}  // namespace azlock::ops
