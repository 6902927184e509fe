// The transport's options: trusted roots from the settings, proxies from the environment.
#pragma once

#include "cli/settings/settings.hpp"
#include "http/transport_options.hpp"

namespace azlock::cli {

[[nodiscard]] http::TransportOptions transport_options(const Settings& settings);

}  // namespace azlock::cli
