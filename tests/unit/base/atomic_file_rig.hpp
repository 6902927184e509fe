// Files that appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/atomic_file.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace azlock::test {

[[nodiscard]] inline AtomicFile make_atomic(const std::string& path) {
    auto file = AtomicFile::create(path);
    if (!file) FAIL(file.error().message);
    return std::move(*file);
}

}  // namespace azlock::test
