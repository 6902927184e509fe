// The state of one request that the HTTP library's threads and the sender share while the sender waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "http/direct_send.hpp"
#include "http/message.hpp"
#include "http/stall.hpp"

namespace azlock::http {

// The library's threads may outlive the wait. So they use the sender's sink and body only under the mutex, and only
// until the wait is over. Therefore wait() also waits for a read or write that is in progress.
class Exchange {
  public:
    // The longest Response::body, in bytes. A longer answer is an error.
    static constexpr std::size_t kLongestBody = 64 * 1024 * 1024;

    // The longest head of an answer. The library keeps it whole, so a longer one ends the attempt half a second later.
    static constexpr std::uint64_t kLongestHead = 1024 * 1024;

    Exchange(const Request& request, std::shared_ptr<const Fd> socket);

    // For the library's threads. None of these functions throws.

    // The head of the request has been written to the connection.
    void head_written() noexcept;
    // The next bytes of the request body. 0: the attempt is over.
    std::size_t read_body(std::span<std::byte> out) noexcept;
    // Offers the body to the sender, which sends it past the library, except for its last `tail.size()` bytes. True:
    // `done` will be called on the sender's thread, with the size of the body if all went well and `tail` is filled,
    // else with 0. False: use read_body().
    [[nodiscard]] bool offer_body(std::span<std::byte> tail, std::function<void(std::size_t)> done) noexcept;
    // The head of the answer. It may come a little later than the first bytes of the body, from another thread.
    void begin_answer(Response head) noexcept;
    // Bytes of its body. False: the attempt is over.
    bool write_answer(ByteView data) noexcept;
    // The body of the answer is malformed.
    void reject_answer() noexcept;
    void complete() noexcept;
    // `code` comes from the library, or is kVetoedRepeat or kUnknownFailure. Only the first outcome counts.
    void fail_with(int code) noexcept;
    // The system gave the library too little. Another attempt would get no more.
    void fail_with(Error limit) noexcept;
    // The library does not use this exchange any more, and has put its connection back or closed it.
    void let_go() noexcept;

    // For the sender.

    struct Outcome {
        Interrupt interrupt = Interrupt::none;
        bool complete = false;       // `response` is the whole answer
        bool answer_begun = false;   // the head of the answer has come
        bool head_written = false;   // the whole head of the request was written to the connection
        bool body_taken = false;     // every byte of the request body was taken (true if there is no body)
        bool released = false;       // let_go() was called
        int code = 0;                // of the failure
        std::optional<Error> local;  // our side ended it: the body, the sink, or an invalid answer
        Response response;
    };
    // Returns after let_go(), or soon after the deadline, a stall or a stop request; these break the connection. Calls
    // `line` if a body must be sent directly.
    Outcome wait(Deadline deadline, const std::stop_token& stop, const std::function<DirectLine()>& line);

  private:
    void send_offered(std::unique_lock<std::mutex>& lock, Deadline deadline, const std::stop_token& stop,
                      const std::function<DirectLine()>& line);
    void take_over(DirectOutcome sent);
    void interrupt(Interrupt why);
    void end_locally(Error error);
    bool disconnect() const;
    void accept(ByteView data);
    // Why the attempt must end although its deadline has not come; `none`: it may go on.
    [[nodiscard]] Interrupt hopeless();

    std::shared_ptr<const Fd> socket_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::shared_ptr<const Body> body_;
    std::uint64_t body_size_ = 0;
    std::uint64_t body_offset_ = 0;
    std::span<std::byte> offered_tail_;
    std::function<void(std::size_t)> offered_;  // empty if nothing is offered
    BodySink* sink_ = nullptr;
    bool sink_takes_body_ = false;
    std::chrono::milliseconds still_timeout_;  // for a body that goes past the library
    StallWatch stall_;
    StallWatch quiet_;
    SendPace pace_;
    std::uint64_t received_ = 0;  // bytes of the answer's body
    std::uint64_t taken_before_;  // StallWatch::taken() when the attempt began
    std::string before_head_;     // bytes of the answer's body that came before its head
    bool ended_ = false;          // an outcome is known
    bool detached_ = false;       // the sender has gone
    Outcome outcome_;
};

}  // namespace azlock::http
