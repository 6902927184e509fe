#include "http/exchange.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <sys/socket.h>

#include "base/text.hpp"
#include "base/wait.hpp"
#include "http/transport_error.hpp"

namespace azlock::http {
namespace {

// How long the library may take to notice a broken connection and let go.
constexpr std::chrono::milliseconds kGrace{200};

Error malformed_answer() {
    return transport_error(TransportFault::malformed, "the answer is not valid HTTP");
}

bool is_final_status(int status) {
    return status >= 200 && status <= 999;
}

// Of two timeouts, of which 0 means none.
std::chrono::milliseconds shorter_of(std::chrono::milliseconds a, std::chrono::milliseconds b) {
    return a.count() == 0 ? b : b.count() == 0 ? a : std::min(a, b);
}

}  // namespace

Exchange::Exchange(const Request& request, std::shared_ptr<const Fd> socket)
    : socket_(std::move(socket)),
      body_(request.content_length() > 0 ? request.body : nullptr),
      body_size_(request.content_length()),
      sink_(request.sink),
      still_timeout_(shorter_of(request.stall_timeout, request.quiet_timeout)),
      stall_(socket_->get(), request.stall_timeout),
      quiet_(socket_->get(), request.quiet_timeout),
      pace_(request.content_length(), request.longest_send),
      taken_before_(stall_.taken()) {
    outcome_.body_taken = body_size_ == 0;
}

void Exchange::head_written() noexcept {
    const std::lock_guard lock(mutex_);
    outcome_.head_written = true;
}

std::size_t Exchange::read_body(std::span<std::byte> out) noexcept {
    const std::lock_guard lock(mutex_);
    if (detached_ || ended_ || !body_) return 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), body_size_ - body_offset_));
    try {
        const auto got = body_->read_at(body_offset_, out.first(wanted));
        if (!got) {
            end_locally(local_body_error(got.error()));
            return 0;
        }
        if (*got == 0 || *got > wanted) {
            end_locally(local_body_error(short_body_error()));
            return 0;
        }
        body_offset_ += *got;
        outcome_.body_taken = body_offset_ == body_size_;
        return *got;
    } catch (const std::exception& thrown) {
        end_locally(local_body_error(thrown_error(thrown, "reading the data to send")));
        return 0;
    }
}

bool Exchange::offer_body(std::span<std::byte> tail, std::function<void(std::size_t)> done) noexcept {
    const std::lock_guard lock(mutex_);
    if (detached_ || ended_ || !body_ || body_offset_ > 0 || body_size_ <= tail.size()) return false;
    offered_tail_ = tail;
    offered_ = std::move(done);
    changed_.notify_all();
    return true;
}

void Exchange::begin_answer(Response head) noexcept {
    const std::lock_guard lock(mutex_);
    if (detached_ || ended_) return;
    outcome_.answer_begun = true;
    outcome_.response = std::move(head);
    const Response& answer = outcome_.response;
    const std::string* length = answer.headers.find("Content-Length");
    if (!is_final_status(answer.status) || (length != nullptr && !parse_u64(*length))) {
        end_locally(malformed_answer());
        return;
    }
    try {
        sink_takes_body_ = sink_ != nullptr && sink_->begin(answer);
        if (!before_head_.empty()) accept(as_bytes(before_head_));
        before_head_ = {};
    } catch (const std::exception& thrown) {
        end_locally(local_body_error(thrown_error(thrown, "taking the answer")));
    }
}

bool Exchange::write_answer(ByteView data) noexcept {
    const std::lock_guard lock(mutex_);
    if (detached_ || ended_) return false;
    try {
        accept(data);
    } catch (const std::exception& thrown) {
        end_locally(local_body_error(thrown_error(thrown, "storing the answer")));
    }
    return !ended_;
}

void Exchange::reject_answer() noexcept {
    const std::lock_guard lock(mutex_);
    if (!ended_) end_locally(malformed_answer());
}

void Exchange::complete() noexcept {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    outcome_.complete = outcome_.answer_begun;
}

void Exchange::fail_with(int code) noexcept {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    outcome_.code = code;
}

void Exchange::fail_with(Error limit) noexcept {
    const std::lock_guard lock(mutex_);
    if (!ended_) end_locally(std::move(limit));
}

void Exchange::let_go() noexcept {
    const std::lock_guard lock(mutex_);
    outcome_.released = true;
    changed_.notify_all();
}

void Exchange::accept(ByteView data) {
    received_ += data.size();
    if (sink_takes_body_) {
        if (auto status = sink_->write(data); !status) end_locally(local_body_error(status.error()));
        return;
    }
    std::string& body = outcome_.answer_begun ? outcome_.response.body : before_head_;
    if (data.size() > kLongestBody - body.size()) {
        end_locally(transport_error(TransportFault::malformed, "the answer is too long"));
    } else {
        body.append(reinterpret_cast<const char*>(data.data()), data.size());
    }
}

void Exchange::end_locally(Error error) {
    ended_ = true;
    outcome_.local = std::move(error);
    ::shutdown(socket_->get(), SHUT_RDWR);
}

Interrupt Exchange::hopeless() {
    if (!ended_ && !outcome_.answer_begun && received_ == 0 && stall_.taken() > taken_before_ + kLongestHead) {
        end_locally(transport_error(TransportFault::malformed, "the head of the answer is too long"));
        disconnect();  // what still comes would be read after a shutdown
    }
    const bool sending =
        !outcome_.body_taken || (body_size_ > 0 && !outcome_.answer_begun && stall_.unacknowledged() > 0);
    const bool receiving = outcome_.answer_begun && !ended_;
    const std::uint64_t moved = body_offset_ + received_;
    if (stall_.stands_still(moved, sending || receiving)) return Interrupt::stall;
    if (quiet_.stands_still(moved)) return Interrupt::deadline;
    if (!sending) return Interrupt::none;
    const std::uint64_t arrived = body_offset_ - std::min(body_offset_, stall_.unacknowledged());
    const std::uint64_t here = body_size_ - body_offset_ + stall_.unsent();
    return pace_.too_slow(arrived, here) ? Interrupt::slow : Interrupt::none;
}

// Neither end gets what is on its way. False: it is no TCP connection any more.
bool Exchange::disconnect() const {
    const sockaddr nowhere{AF_UNSPEC, {}};
    return ::connect(socket_->get(), &nowhere, sizeof nowhere) == 0;
}

void Exchange::interrupt(Interrupt why) {
    outcome_.interrupt = why;
    ended_ = true;
    if (why == Interrupt::slow) {
        // Nothing more goes out of what the system still holds: it would keep the line from the next request, and the
        // server might get the whole body after all.
        if (disconnect()) return;
    }
    ::shutdown(socket_->get(), SHUT_RDWR);
}

void Exchange::take_over(DirectOutcome sent) {
    if (sent.interrupt != Interrupt::none) {
        interrupt(sent.interrupt);
    } else if (sent.local) {
        end_locally(local_body_error(std::move(*sent.local)));
    } else if (sent.code != 0) {
        ended_ = true;
        outcome_.code = sent.code;
    } else {
        body_offset_ = body_size_;
        outcome_.body_taken = true;
    }
}

void Exchange::send_offered(std::unique_lock<std::mutex>& lock, Deadline deadline, const std::stop_token& stop,
                            const std::function<DirectLine()>& line) {
    const auto done = std::exchange(offered_, nullptr);
    if (!ended_) {
        DirectOutcome sent;
        lock.unlock();
        try {
            sent = send_directly(*body_, offered_tail_, line(), {deadline, still_timeout_, pace_, stop});
        } catch (const std::exception&) {
            sent.local = make_error(ErrorCode::internal, "reading the data to send threw an exception");
        }
        lock.lock();
        take_over(std::move(sent));
    }
    const std::size_t count = outcome_.body_taken ? static_cast<std::size_t>(body_size_) : 0;
    lock.unlock();
    done(count);  // the library goes on here, and may call any of the above
    lock.lock();
}

Exchange::Outcome Exchange::wait(Deadline deadline, const std::stop_token& stop,
                                 const std::function<DirectLine()>& line) {
    std::unique_lock lock(mutex_);
    const auto called = [&] { return outcome_.released || offered_; };
    for (;;) {
        const auto slice = wait_slice(deadline, SystemClock());
        const bool woken = changed_.wait_for(
            lock, stop, std::min<std::chrono::nanoseconds>({slice, stall_.slice(), quiet_.slice()}), called);
        if (offered_) send_offered(lock, deadline, stop, line);
        if (outcome_.released) break;
        Interrupt why = hopeless();
        if (slice.count() <= 0) why = Interrupt::deadline;
        if (stop.stop_requested()) why = Interrupt::stop;
        if (woken || why == Interrupt::none) continue;
        if (!ended_) interrupt(why);
        changed_.wait_for(lock, kGrace, called);
        if (offered_) send_offered(lock, deadline, stop, line);
        break;
    }
    detached_ = true;
    sink_ = nullptr;
    body_.reset();
    return std::move(outcome_);
}

}  // namespace azlock::http
