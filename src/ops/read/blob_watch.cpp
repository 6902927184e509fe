#include "ops/read/blob_watch.hpp"

#include <algorithm>
#include <cmath>

#include "base/backoff.hpp"
#include "http/retry.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Kind = WatchEvent::Kind;

const http::RetryPolicy kPause{1, milliseconds(1'000), milliseconds(60'000), milliseconds(120'000)};

// True if another look may succeed: no answer, a version that changed while it was read, or damaged content.
bool may_pass(const Error& error) {
    return error.retryable || error.code == ErrorCode::precondition || error.code == ErrorCode::data;
}

WatchEvent event_of(Kind kind, std::string etag) {
    WatchEvent event;
    event.kind = kind;
    event.etag = std::move(etag);
    return event;
}

}  // namespace

BlobWatch::BlobWatch(azure::BlobClient& client, const azure::BlobAddress& blob, DownloadTarget& target,
                     nanoseconds interval)
    : client_(client), blob_(blob), target_(target), interval_(interval) {}

Result<WatchEvent> BlobWatch::next(const azure::Call& call) {
    for (;;) {
        if (auto ok = wait_for_look(call); !ok) return fail(ok.error());
        next_look_ = client_.clock().after(jittered(interval_, 0.9, 1.1, client_.random()));
        auto seen = seen_ ? look(call) : first_look(call);
        if (!seen) {
            const bool ended = call.stop.stop_requested() || client_.clock().now() >= call.deadline;
            if (ended || !may_pass(seen.error())) return fail(seen.error());
            return trouble(std::move(seen.error()));
        }
        const bool recovered = std::exchange(failures_, 0) > 0;
        if (*seen) return std::move(**seen);
        if (recovered) return event_of(Kind::recovered, *seen_);
    }
}

Status BlobWatch::wait_for_look(const azure::Call& call) {
    Clock& clock = client_.clock();
    if (call.stop.stop_requested()) return fail(stopped_by_signal());
    if (next_look_ && !clock.wait_until(std::min(*next_look_, call.deadline), call.stop)) {
        return fail(stopped_by_signal());
    }
    if (clock.now() < call.deadline) return {};
    Error error = make_error(ErrorCode::unavailable, "the deadline passed (--timeout)");
    error.target = blob_.to_string();
    error.retryable = true;
    return fail(std::move(error));
}

Result<std::optional<WatchEvent>> BlobWatch::first_look(const azure::Call& call) {
    auto head = client_.get_properties(blob_, {}, call);
    if (!head && head.error().code != ErrorCode::not_found) return fail(head.error());
    seen_ = head ? head->properties.etag : std::string();
    return event_of(Kind::watching, *seen_);
}

Result<std::optional<WatchEvent>> BlobWatch::look(const azure::Call& call) {
    if (!target_.restart()) return fail(ErrorCode::internal, "the content of a watched blob cannot be taken twice");
    DownloadOptions options;
    options.conditions.if_none_match = *seen_;
    auto got = download_blob(client_, blob_, target_, options, call);
    if (got) {
        if (got->properties.etag == *seen_) return std::nullopt;
        seen_ = got->properties.etag;
        WatchEvent event = event_of(Kind::changed, *seen_);
        event.last_modified = std::move(got->properties.last_modified);
        event.bytes = got->bytes;
        return event;
    }
    if (got.error().code == ErrorCode::not_modified) return std::nullopt;
    if (got.error().code != ErrorCode::not_found) return fail(got.error());
    if (seen_->empty()) return std::nullopt;
    return event_of(Kind::deleted, std::exchange(*seen_, {}));
}

WatchEvent BlobWatch::trouble(Error error) {
    std::optional<milliseconds> asked;
    if (error.retry_after_ms) asked = milliseconds(*error.retry_after_ms);
    WatchEvent event = event_of(Kind::trouble, seen_.value_or(""));
    event.pause = std::max<nanoseconds>(interval_, http::backoff(kPause, ++failures_, asked, client_.random()));
    event.error = std::move(error);
    next_look_ = client_.clock().after(event.pause);
    return event;
}

}  // namespace azlock::ops
