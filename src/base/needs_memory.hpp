// For calls of C libraries that fail only if there is no memory.
#pragma once

#include <new>

namespace azlock {

// Returns `result`. Throws bad_alloc if it is null, false or 0.
template <typename T>
T needs_memory(T result) {
    if (!result) throw std::bad_alloc();
    return result;
}

}  // namespace azlock
