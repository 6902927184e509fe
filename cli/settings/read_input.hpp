// Reads small inputs whole: key files, configuration, standard input, variables of the environment.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace azlock::cli {

// `-` is standard input. Errors, with the file's name: input_missing; `too_large` if it has more than `max_size` bytes.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, std::size_t max_size = 1 << 20,
                                                  ErrorCode too_large = ErrorCode::input_missing);

// Empty if the variable is not set.
[[nodiscard]] std::string environment(const char* name);

}  // namespace azlock::cli
