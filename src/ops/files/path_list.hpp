// A list of paths in a file, as --files-from reads it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace azlock::ops {

// Hands over each path of `file` ("-": standard input) in turn: one a line, or, `null_separated`, each ended by a NUL.
// Nothing is trimmed (a blank may belong to a name); empty lines are left out; the last end may be missing. The list
// is read piece by piece. Errors: input_missing where it cannot be opened, io where it cannot be read, data for a path
// of more than 64 KiB or a line with a NUL in it; cancelled within a moment of a stop; and what `take` returns, which
// ends the reading.
[[nodiscard]] Status read_path_list(const std::string& file, bool null_separated,
                                    const std::function<Status(std::string_view path)>& take,
                                    std::stop_token stop = {});

}  // namespace azlock::ops
