// One thing that the doctor looked at, and what it found.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"

namespace azlock::ops {

struct Check {
    enum class Outcome { ok, warning, failed, skipped };
    std::string name;
    Outcome outcome = Outcome::ok;
    std::string detail;
    std::optional<Error> error = {};
};

}  // namespace azlock::ops
