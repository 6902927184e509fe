// What reaches a command from outside the process: time, randomness, the network, the user at the terminal. A test
// hands in its own.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

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
    // Asks the user at the terminal (terminal_asker()); empty: there is none.
    std::function<Result<std::string>(const std::string& question, const std::stop_token& stop)> ask = {};
};

}  // namespace azlock::cli
