#include "http/direct_send.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "base/clock.hpp"
#include "base/wait.hpp"
#include "http/transport_error.hpp"

namespace azlock::http {
namespace {

// Blocks SIGPIPE for this thread while it lives: sendfile() has no MSG_NOSIGNAL, and this library may not change the
// signals of the process.
class WithoutSigpipe {
  public:
    WithoutSigpipe() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutSigpipe() {
        const timespec now{0, 0};
        if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

  private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

// While it lives, the TLS session writes to the socket.
class WritesToSocket {
  public:
    explicit WritesToSocket(const DirectLine& line) : tls_(line.tls) {
        if (tls_ != nullptr) tls_->write_to(line.socket);
    }
    ~WritesToSocket() {
        if (tls_ != nullptr) tls_->write_to_owner();
    }
    WritesToSocket(const WritesToSocket&) = delete;
    WritesToSocket& operator=(const WritesToSocket&) = delete;

  private:
    TlsSession* tls_;
};

class DirectSend {
  public:
    DirectSend(const Body& body, const DirectLine& line, const DirectBounds& bounds)
        : body_(body),
          line_(line),
          deadline_(bounds.deadline),
          stop_token_(bounds.stop),
          stop_(bounds.stop),
          pace_(bounds.pace),
          stall_(line.socket, bounds.stall_timeout) {}

    DirectOutcome run(std::span<std::byte> tail) {
        const std::uint64_t until = body_.size() - tail.size();
        if (line_.tls == nullptr) send_file(until);
        send_read(until, tail);
        if (!outcome_) read(tail);
        return outcome_.value_or(DirectOutcome{});
    }

  private:
    // If sendfile() does not work for this file, send_read() does the work or finds the reason.
    void send_file(std::uint64_t until) {
        const auto part = body_.file_part();
        if (!part) return;
        const WithoutSigpipe quiet;
        while (done_ < until && may_go_on()) {
            auto at = static_cast<off_t>(part->offset + done_);
            const ssize_t sent = ::sendfile(line_.socket, part->fd, &at, std::min(kMostAtOnce, until - done_));
            if (sent > 0) {
                done_ += static_cast<std::uint64_t>(sent);
                body_.on_sent(done_);
            } else if (sent == 0 || !(errno == EAGAIN || errno == EINTR || is_of_connection(errno))) {
                return;
            } else {
                failed(errno);
            }
        }
    }

    void send_read(std::uint64_t until, std::span<std::byte> scratch) {
        const WritesToSocket writes(line_);
        while (done_ < until && may_go_on()) {
            const auto piece = scratch.first(std::min<std::uint64_t>(scratch.size(), until - done_));
            read(piece);
            for (ByteView rest = piece; !rest.empty() && may_go_on();) {
                const long sent = line_.tls != nullptr ? line_.tls->write(rest)
                                                       : ::send(line_.socket, rest.data(), rest.size(), MSG_NOSIGNAL);
                if (sent > 0) {
                    rest = rest.subspan(static_cast<std::size_t>(sent));
                } else {
                    failed(errno);
                }
            }
        }
    }

    // The next bytes of the body, until `out` is full.
    void read(std::span<std::byte> out) {
        while (!out.empty() && !outcome_) {
            const auto got = body_.read_at(done_, out);
            if (!got) {
                outcome_ = {Interrupt::none, 0, got.error()};
            } else if (*got == 0 || *got > out.size()) {
                outcome_ = {Interrupt::none, 0, short_body_error()};
            } else {
                done_ += *got;
                out = out.subspan(*got);
            }
        }
    }

    bool may_go_on() {
        if (!outcome_ && stop_token_.stop_requested()) outcome_ = {Interrupt::stop, 0, {}};
        if (!outcome_ && SystemClock().now() >= deadline_) outcome_ = {Interrupt::deadline, 0, {}};
        if (!outcome_ && stall_.stands_still(done_)) outcome_ = {Interrupt::stall, 0, {}};
        const std::uint64_t arrived = done_ - std::min(done_, stall_.unacknowledged());
        if (!outcome_ && pace_.too_slow(arrived, body_.size() - done_ + stall_.unsent())) {
            outcome_ = {Interrupt::slow, 0, {}};
        }
        return !outcome_;
    }

    void failed(int code) {
        if (code == EINTR) return;
        if (code != EAGAIN) {
            outcome_ = {Interrupt::none, code != 0 ? code : EPROTO, {}};
        } else {
            const Deadline slice = SystemClock().after(stall_.slice());
            (void)wait_ready(line_.socket, POLLOUT, std::min(deadline_, slice), SystemClock(),
                             stop_);  // may_go_on() finds the reason
        }
    }

    static bool is_of_connection(int code) { return code == EPIPE || code == ECONNRESET || code == ETIMEDOUT; }

    static constexpr std::uint64_t kMostAtOnce = 1024 * 1024;  // bytes between two looks at the clock

    const Body& body_;
    const DirectLine& line_;
    Deadline deadline_;
    const std::stop_token& stop_token_;
    StopSignal stop_;
    const SendPace& pace_;
    StallWatch stall_;
    std::uint64_t done_ = 0;
    std::optional<DirectOutcome> outcome_;
};

}  // namespace

DirectOutcome send_directly(const Body& body, std::span<std::byte> tail, const DirectLine& line,
                            const DirectBounds& bounds) {
    return DirectSend(body, line, bounds).run(tail);
}

}  // namespace azlock::http
