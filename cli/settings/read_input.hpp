// Reads small inputs whole: key files, configuration, standard input.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace azlock::cli {

// `-` is standard input. Error: input_missing, with the file's name; also if it is larger than `max_size` bytes.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, std::size_t max_size = 1 << 20);

}  // namespace azlock::cli
