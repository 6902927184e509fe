// Prints a container's properties, for `show` and `container show`.
#pragma once

#include <string>

#include "cli/program/context.hpp"

namespace azlock::cli {

[[nodiscard]] Status show_container(Context& context, const Opened& opened, const std::string& lease_id);

}  // namespace azlock::cli
