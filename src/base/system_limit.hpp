// What the system allows a process: memory, threads, open files, the size of a file.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>

#include "base/error.hpp"

namespace azlock {

enum class SystemLimit { memory, threads, open_files, file_size };

// The error (io) if the limit is reached. It names the limit, with its value if it has one.
[[nodiscard]] Error limit_error(SystemLimit limit);
// The same for an exception of the standard library; nullopt if it has another reason.
[[nodiscard]] std::optional<Error> limit_error(const std::exception& exception);
// True if `ulimit -v` is set.
[[nodiscard]] bool is_memory_limited();
// The limit that a system call on a file or socket has reached.
[[nodiscard]] std::optional<SystemLimit> reached_limit(int errno_value);

// How many of `wanted` transfers the limits have room for now, each with a thread, a connection and a file. At least 1.
[[nodiscard]] std::size_t affordable(std::size_t wanted);

// If the address space is limited, threads take less of it. To be called before the first thread starts.
void spare_address_space();

}  // namespace azlock
