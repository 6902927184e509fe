// Looks at something again and again, and shows it when it has changed.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "azure/client.hpp"

namespace azlock::ops {

struct Sight {
    std::string state;  // differs after a change, and not by the time that passes
    std::string text;
};

struct LiveView {
    std::chrono::milliseconds every{2'000};
    bool each_look = false;  // every look is shown, for what changes with the time; else only changes
    std::function<Result<Sight>()> look;
    // An error ends the watch.
    std::function<Status(const Sight& sight)> show;
    // The service does not answer at present; told once until it does again.
    std::function<void(const Error& error)> blind;
};

// Looks until it is stopped or cannot continue. The result is never a success. Errors: usage (`every` is too short),
// cancelled, unavailable (the deadline has passed, or the first look failed); those of `look` and `show`.
[[nodiscard]] Status watch_view(Clock& clock, const LiveView& view, const azure::Call& call);

}  // namespace azlock::ops
