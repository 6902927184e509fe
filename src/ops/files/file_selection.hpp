// Which local files an upload takes, and how their blobs are named.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ops/files/file_list.hpp"

namespace azlock::ops {

struct SelectionRequest {
    std::vector<std::string> sources;       // files and directories as named on the command line; "-" is a normal name
    std::optional<std::string> files_from;  // a file that lists more of them; "-": standard input
    bool null_separated = false;            // the list's paths end in NUL, not in a line end
    bool recursive = false;                 // directories may be sources
    std::vector<std::string> include;       // globs (base/glob.hpp); if there are any, one of them must match
    std::vector<std::string> exclude;       // they win over `include`
    SymlinkPolicy symlinks = SymlinkPolicy::skip;
    std::string destination;  // the blob part of DEST, empty for the container
};

// How blobs are named:
//  * One file and a destination that does not end in '/': the destination is the name.
//  * Everything else needs a container, or a destination that ends in '/'. Names are made below it, as follows.
//  * A file gives its own name, without its directories.
//  * A directory `dir` gives "dir/...". `dir/`, `dir/.`, "." and ".." give their contents, without their own name.
//  * A listed path keeps its directories as listed, without a leading "/" and parts ".". A part ".." is a failure.
// Globs are matched against the path below the source (a file: its own name; a listed path: as it is listed). A glob
// that matches a directory applies to all its contents.
//
// Order: sources as given, then the list. A directory is read by name, byte by byte, depth first. Empty directories
// give nothing. If the same file appears twice under one name, it is taken once.
//
// Errors: usage (no source, a directory without `recursive`, a destination that cannot take several files, a bad glob,
// two files for one blob); the error of an unreadable list; cancelled.
[[nodiscard]] Result<Selection> select_files(const SelectionRequest& request, std::stop_token stop = {});

}  // namespace azlock::ops
