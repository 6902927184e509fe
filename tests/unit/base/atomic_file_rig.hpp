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

inline void replace_file(const std::string& path, std::string_view content) {
    AtomicFile file = make_atomic(path);
    REQUIRE(file.write_at(0, as_bytes(content)));
    REQUIRE(file.commit());
}

}  // namespace azlock::test
