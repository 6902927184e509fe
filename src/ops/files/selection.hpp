// The files that a selection took, and those that it left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ops/files/file_list.hpp"

namespace azlock::ops {

// A link that is named as a source (or listed) is followed, except with `refuse`. For a link inside a directory:
enum class SymlinkPolicy {
    skip,    // it is left out, and azlock says so
    follow,  // it counts as its target; a link to a directory that contains it is left out
    refuse,  // it is a failure, and so is a link that is named
};

struct SkippedFile {
    std::string path;
    std::string reason;  // "a symbolic link"
};

struct Selection {
    FileList files;
    std::vector<SkippedFile> skipped;  // special files, and links that are not followed; each deserves a notice
    std::vector<Error> failures;       // files that could not be taken; `target` is the local path
    std::uint64_t excluded = 0;        // files and whole directories that the globs left out
};

}  // namespace azlock::ops
