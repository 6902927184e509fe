// A Transport over a line that carries few bytes per second, shared by all requests, in the time of a fake clock.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>

#include "http/transport.hpp"
#include "support/fake_clock.hpp"

namespace azlock::test {

// Requests go over the line one after the other. A request that would take longer than it may costs a third of that
// time and is lost, and so is one that is under way when the process is killed.
class SlowLine final : public http::Transport {
  public:
    SlowLine(http::Transport& inner, FakeClock& clock, std::uint64_t bytes_per_second)
        : inner_(inner), clock_(clock), rate_(bytes_per_second) {}

    // From this time on, nothing goes through any more, and `killed` is stopped.
    void kill_at(BootTime when, std::stop_source killed) {
        kill_at_ = when;
        killed_ = std::move(killed);
    }

    [[nodiscard]] Result<http::Response> send(const http::Request& request, Deadline deadline,
                                              std::stop_token stop) override {
        const std::lock_guard lock(mutex_);
        const double bytes = static_cast<double>(request.content_length());
        auto span = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(0.05 + bytes / static_cast<double>(rate_)));
        const bool too_slow = request.longest_send.count() > 0 && span > request.longest_send;
        if (too_slow) span = request.longest_send / 3;
        if (kill_at_ && clock_.now() + span >= *kill_at_) {
            if (*kill_at_ > clock_.now()) clock_.advance(*kill_at_ - clock_.now());
            killed_.request_stop();
            return azlock::fail(ErrorCode::cancelled, "killed");
        }
        clock_.advance(span);
        if (too_slow) {
            Error error = make_error(ErrorCode::unavailable, "the line is slow");
            error.fault = TransportFault::timeout;
            error.retryable = true;
            return azlock::fail(std::move(error));
        }
        return inner_.send(request, deadline, std::move(stop));
    }

  private:
    http::Transport& inner_;
    FakeClock& clock_;
    std::uint64_t rate_;
    std::mutex mutex_;
    std::optional<BootTime> kill_at_;
    std::stop_source killed_;
};

}  // namespace azlock::test
