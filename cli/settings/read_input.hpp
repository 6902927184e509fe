// Reads small inputs whole: key files, configuration, standard input, variables of the environment.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace azlock::cli {

// `-` is standard input. Error: input_missing, with the file's name; also if it is larger than `max_size` bytes.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, std::size_t max_size = 1 << 20);

// Empty if the variable is not set.
[[nodiscard]] std::string environment(const char* name);

}  // namespace azlock::cli
