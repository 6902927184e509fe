// Appenders for tests: a scripted source, and one attempt for each request, as in the command.
#pragma once

#include <deque>
#include <functional>

#include "ops/append/appender.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

// Gives its batches in order, then ends. `before_batch` is called before each of them, and may do anything.
class ListSource final : public ops::BatchSource {
  public:
    explicit ListSource(FakeClock& clock, const std::vector<std::string>& batches) : clock_(clock) {
        for (const std::string& text : batches) add(text);
    }
    void add(const std::string& text) {
        const ByteView bytes = as_bytes(text);
        const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
        batches_.push_back({{bytes.begin(), bytes.end()}, lines, text.size()});
    }
    // For this time there is nothing before batch `number` (from 0).
    void pause_before(std::size_t number, std::chrono::nanoseconds span) { pauses_[number] = span; }

    [[nodiscard]] Result<Next> wait(Deadline until) override {
        if (auto it = pauses_.find(given_); it != pauses_.end()) {
            const auto span = std::min(it->second, until == kNoDeadline ? it->second : until - clock_.now());
            clock_.advance(std::max(span, std::chrono::nanoseconds(0)));
            it->second -= std::max(span, std::chrono::nanoseconds(0));
            if (it->second.count() > 0) return Next::nothing_yet;
            pauses_.erase(it);
        }
        if (before_batch) before_batch(given_);
        return batches_.empty() ? Next::end : Next::batch;
    }
    [[nodiscard]] const ops::AppendBatch& batch() override { return batches_.front(); }
    [[nodiscard]] std::optional<ops::AppendMark> pending_mark() const override { return pending; }
    [[nodiscard]] Status sending(const ops::AppendMark& mark) override {
        pending.reset();
        marks.push_back(mark);
        return {};
    }
    [[nodiscard]] Status confirmed() override {
        pending.reset();
        batches_.pop_front();
        ++given_;
        return {};
    }
    [[nodiscard]] std::uint64_t unconfirmed_bytes() const override {
        std::uint64_t sum = 0;
        for (const auto& batch : batches_) sum += batch.bytes.size();
        return sum;
    }

    std::function<void(std::size_t number)> before_batch;
    std::vector<ops::AppendMark> marks;
    std::optional<ops::AppendMark> pending;  // the mark of an earlier run for the first batch

  private:
    FakeClock& clock_;
    std::deque<ops::AppendBatch> batches_;
    std::map<std::size_t, std::chrono::nanoseconds> pauses_;
    std::size_t given_ = 0;
};

// "box/data", which does not exist at first.
struct AppendRig : Rig {
    explicit AppendRig(FakeOptions options = {}) : Rig(std::move(options)) {}

    [[nodiscard]] static azure::PipelineOptions one_attempt() {
        azure::PipelineOptions options;
        options.retry.max_attempts = 1;
        return options;
    }

    Result<ops::AppendReport> append(ListSource& source, const ops::AppenderOptions& options = {},
                                     const azure::Call& call = {}) {
        return append_as(writer, source, options, call);
    }
    Result<ops::AppendReport> append_as(Actor& actor, ListSource& source, const ops::AppenderOptions& options = {},
                                        const azure::Call& call = {}) {
        ops::Appender appender(actor.client(), blob, options, call);
        if (auto opened = appender.open(); !opened) return fail(opened.error());
        if (auto ran = appender.run(source); !ran) return fail(ran.error());
        return appender.report();
    }
    Result<ops::AppendReport> append(const std::vector<std::string>& batches,
                                     const ops::AppenderOptions& options = {}) {
        ListSource source(clock, batches);
        return append(source, options);
    }
    // A peer that takes no turns. Its append must succeed.
    void peer_appends(const std::string& text, const std::string& lease_id = {}) {
        azure::AppendOptions options;
        options.conditions.lease_id = lease_id;
        must(peer.client().append_block(blob, http::make_body(text), options, {}));
    }
    void peer_creates() {
        azure::PutBlobOptions options;
        options.blob_type = "AppendBlob";
        must(peer.client().put_blob(blob, nullptr, options, {}));
    }
    void peer_leases(const std::string& id, int duration) {
        must(peer.client().acquire_lease(blob, duration, id, {}, {}));
    }
    void peer_releases(const std::string& id) { must(peer.client().release_lease(blob, id, {}, {})); }
    void peer_breaks(int period) { must(peer.client().break_lease(blob, period, {}, {})); }
    [[nodiscard]] std::string lease_state() { return view().lease_state; }

    template <typename T>
    static void must(const Result<T>& result) {
        if (!result) throw std::runtime_error(why(result));
    }

    Actor writer{faulty, clock, 3, kRigAccount, one_attempt()};
    // Another azlock. The scripted faults do not affect it.
    Actor other{service, clock, 4, kRigAccount, one_attempt()};
};

[[nodiscard]] inline ops::AppenderOptions with_lease(ops::AppendLease lease) {
    ops::AppenderOptions options;
    options.send.lease = lease;
    return options;
}

// A lease id of somebody else.
inline constexpr const char* kTheirs = "bbbbbbbb-1111-2222-3333-444444444444";

// No answer: nobody knows whether the request was carried out.
[[nodiscard]] inline Result<http::Response> lost() {
    Error error = make_error(ErrorCode::unavailable, "lost");
    error.fault = TransportFault::timeout;
    error.may_have_applied = true;
    return fail(std::move(error));
}

}  // namespace azlock::test
