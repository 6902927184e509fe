// What the transport is told: trusted roots from the settings, proxies from the environment.
#pragma once

#include "cli/settings/settings.hpp"
#include "http/cpprest_transport.hpp"

namespace azlock::cli {

[[nodiscard]] http::TransportOptions transport_options(const Settings& settings);

}  // namespace azlock::cli
