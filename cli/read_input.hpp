// Reads small inputs whole: key files, configuration, standard input.
#pragma once

#include <string>

#include "base/result.hpp"

namespace azlock::cli {

// At most 1 MiB; `-` is standard input. Error: input_missing, naming the file.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path);

}  // namespace azlock::cli
