// What reaches a command from outside the process: time, randomness, the network. A test hands in its own.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "http/transport.hpp"
#include "http/transport_options.hpp"

namespace azlock::cli {

struct Surroundings {
    using MakeTransport = std::function<Result<std::unique_ptr<http::Transport>>(const http::TransportOptions&)>;

    Clock& clock;
    Random& random;
    MakeTransport make_transport;  // called when the first request is due
};

}  // namespace azlock::cli
