// Reads a list of paths from a file, for --files-from.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace azlock::ops {

// Calls `take` for each path of `file` ("-": standard input) in order: one path per line or, with `null_separated`,
// each ended by a NUL. Nothing is trimmed, because a blank may belong to a name. Empty lines are left out. The last end
// may be missing. The list is read piece by piece.
// Errors: input_missing (it cannot be opened), io (it cannot be read), data (a path of more than 64 KiB, or a line with
// a NUL), cancelled (soon after a stop). An error of `take` ends the reading and is returned.
[[nodiscard]] Status read_path_list(const std::string& file, bool null_separated,
                                    const std::function<Status(std::string_view path)>& take,
                                    std::stop_token stop = {});

}  // namespace azlock::ops
