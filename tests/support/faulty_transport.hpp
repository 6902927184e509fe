// A Transport that fails as the test's script says. A fault that never fires fails the test.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/transport.hpp"
#include "support/fake_clock.hpp"

namespace azlock::test {

using Match = std::function<bool(const http::Request&)>;

// Requests of one operation, named as in the REST reference ("Put Block", "Lease Container").
[[nodiscard]] Match operation(std::string_view name);
// Lease Blob and Lease Container with this x-ms-lease-action.
[[nodiscard]] Match lease_action(std::string_view action);
[[nodiscard]] Match any_request();

// What happens to a request. `forward` hands it (or a copy) to the inner transport.
using Forward = std::function<Result<http::Response>(const http::Request&)>;
struct FaultCall {
    const http::Request& request;
    Deadline deadline;
    Forward forward;
};
using Fault = std::function<Result<http::Response>(const FaultCall&)>;

// Thread-safe; faults of parallel requests happen at the same time.
class FaultyTransport final : public http::Transport {
  public:
    static constexpr std::chrono::seconds kNoRetryAfter{-1};

    // One rule of the script: which requests it is for, and what happens to them. The last call sets the fault.
    class Rule {
      public:
        // The n-th matching request, counted from 1 (default), or `count` of them from the n-th on.
        Rule& nth(std::size_t n, std::size_t count = 1);
        // Every matching request from the n-th on. It must fire at least once.
        Rule& from(std::size_t n);

        // Not carried out, and the transport knows it.
        void fail_before(TransportFault fault = TransportFault::connect);
        // Carried out; the connection breaks before the answer.
        void drop_reply();
        // Not carried out, but the transport cannot know: the connection broke after the last byte was sent.
        void lose_request();
        // Not carried out; the service answers with this status. `retry_after` below zero: no Retry-After.
        void return_status(int status, std::string service_code = {}, std::chrono::seconds retry_after = kNoRetryAfter);
        void return_response(http::Response response);
        // No answer until the deadline. The clock moves to the deadline.
        void stall(bool applied);
        // Carried out; the answer's body breaks off after `bytes`.
        void truncate(std::uint64_t bytes);
        // Carried out twice; the answer is the second one (times_sent 2). HTTP libraries do this on a stale connection.
        void silent_replay();
        // A timeout like stall(false), but the service carries the request out later: after one that matches `after`.
        void arrive_late(Match after = any_request());
        // The time to the service, and the time back. If the deadline passes on the way, it is a timeout.
        void delay(std::chrono::nanoseconds before, std::chrono::nanoseconds after = {});
        // Something happens just before the service gets the request, or just after it answered.
        void meanwhile(std::function<void()> action);
        void afterwards(std::function<void()> action);
        // With from(n): a stop is requested after the n-th answer. Later requests wait for the stop, so that no thread
        // finishes before it.
        void stop(std::stop_source source);
        void with(std::string name, Fault fault);

      private:
        friend class FaultyTransport;
        static constexpr std::size_t kNoEnd = std::numeric_limits<std::size_t>::max();

        FaultyTransport* owner_ = nullptr;
        std::string what_;
        Match match_;
        std::size_t first_ = 1;
        std::size_t count_ = 1;
        std::size_t seen_ = 0;
        std::size_t fired_ = 0;
        std::string fault_name_;
        Fault fault_;
    };
    // Both must outlive this.
    FaultyTransport(http::Transport& inner, FakeClock& clock);
    FaultyTransport(const FaultyTransport&) = delete;
    FaultyTransport& operator=(const FaultyTransport&) = delete;
    // Reports what has not fired, as expect_all_fired() does, but not while an exception is being thrown.
    ~FaultyTransport() override;

    // If several rules match a request, the first one of the script applies.
    Rule& on(std::string_view operation_name);
    Rule& on(Match match, std::string what = "request");

    [[nodiscard]] Result<http::Response> send(const http::Request& request, Deadline deadline,
                                              std::stop_token stop) override;

    // Fails the running test for each fault that has not fired as often as the script says. Reports each once.
    void expect_all_fired();
    // The same, and removes all rules: no later request fails.
    void clear();
    [[nodiscard]] std::vector<std::string> unfired() const;
    // Requests that came in, whatever happened to them.
    [[nodiscard]] std::size_t requests() const;
    [[nodiscard]] std::size_t requests(std::string_view operation_name) const;

    // The reporter gets the reports in place of the test framework. For this class's own tests.
    void report_to(std::function<void(const std::string&)> reporter);

  private:
    struct Late {
        http::Request request;
        Match after;
        bool arrived = false;
    };

    Fault next_fault(const http::Request& request);
    [[nodiscard]] std::size_t late_count() const;
    // Sends those of the first `waiting` late requests that wait for a request like `after`.
    void deliver_late(const http::Request& after, std::size_t waiting);
    void report(const std::string& what);
    // Moves the clock to the deadline.
    Result<http::Response> time_out(Deadline deadline);
    // Moves the clock by `span`. False if the deadline comes first; the clock is then at the deadline.
    bool pass_time(std::chrono::nanoseconds span, Deadline deadline);

    http::Transport& inner_;
    FakeClock& clock_;
    mutable std::mutex mutex_;
    std::mutex time_mutex_;
    std::list<Rule> rules_;
    std::list<Late> late_;
    std::vector<std::string> operations_;
    std::function<void(const std::string&)> reporter_;
};

}  // namespace azlock::test
