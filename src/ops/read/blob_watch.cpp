#include "ops/read/blob_watch.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "http/retry.hpp"
#include "ops/read/download.hpp"

namespace azlock::ops {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Kind = WatchEvent::Kind;

const http::RetryPolicy kPause{1, milliseconds(1'000), milliseconds(60'000), milliseconds(120'000)};

// Makes the file when the first byte comes: most looks bring none.
class NewVersion final : public DownloadTarget {
  public:
    [[nodiscard]] Status write(ByteView data) override {
        if (!file) {
            auto made = ContentFile::create(UINT64_MAX);
            if (!made) return fail(made.error());
            file = std::move(*made);
        }
        return file->append(data);
    }
    [[nodiscard]] bool restart() override {
        file.reset();
        return true;
    }

    std::shared_ptr<ContentFile> file;
};

}  // namespace

// True if another look may succeed: no answer, a version that changed while it was read, damaged content, or a page of
// somebody between us and a service that has answered before.
bool BlobWatch::may_pass(const Error& error) const {
    const bool strange = error.code == ErrorCode::unavailable && error.fault == TransportFault::malformed;
    if (strange && (answered_ || azure::is_foreign_page(error))) return answered_;
    return error.retryable || error.code == ErrorCode::precondition || error.code == ErrorCode::data;
}

Result<WatchEvent> BlobWatch::next(const azure::Call& call) {
    auto event = next_until(kNoDeadline, call);
    if (!event) return fail(event.error());
    return std::move(**event);
}

Result<std::optional<WatchEvent>> BlobWatch::next_until(Deadline until, const azure::Call& call) {
    for (;;) {
        if (auto ok = wait_for_look(until, call); !ok) return fail(ok.error());
        if (next_look_ && client_.clock().now() < *next_look_) return std::nullopt;
        next_look_ = client_.clock().after(jittered(interval_, 0.9, 1.1, client_.random()));
        auto seen = seen_ ? look(call) : first_look(call);
        if (!seen) {
            if (call.stop.stop_requested() || !may_pass(seen.error())) return fail(seen.error());
            if (client_.clock().now() >= call.deadline) return fail(cut_short(std::move(seen.error())));
            return trouble(std::move(seen.error()));
        }
        answered_ = true;
        const bool recovered = std::exchange(failures_, 0) > 0;
        if (*seen) return std::move(*seen);
        if (recovered) return WatchEvent{Kind::recovered, *seen_};
    }
}

Status BlobWatch::wait_for_look(Deadline until, const azure::Call& call) {
    Clock& clock = client_.clock();
    if (call.stop.stop_requested()) return fail(stopped_by_signal());
    if (next_look_ && !clock.wait_until(std::min({*next_look_, call.deadline, until}), call.stop)) {
        return fail(stopped_by_signal());
    }
    return clock.now() < call.deadline ? Status() : fail(out_of_time());
}

Error BlobWatch::out_of_time() const {
    Error error = deadline_passed();
    error.target = blob_.to_string();
    error.retryable = true;
    return error;
}

// `error`: of the look that the deadline cut short. If the service answered so far, it did not fail now.
Error BlobWatch::cut_short(Error error) const {
    if (error.code != ErrorCode::unavailable) return error;
    Error out = out_of_time();
    if (seen_ && failures_ == 0) return out;
    error.message = out.message + ": " + error.message;
    return error;
}

Result<std::optional<WatchEvent>> BlobWatch::first_look(const azure::Call& call) {
    auto head = client_.get_properties(blob_, {}, call);
    if (!head && head.error().code != ErrorCode::not_found) return fail(head.error());
    seen_ = head ? head->properties.etag : std::string();
    return WatchEvent{Kind::watching, *seen_};
}

Result<std::optional<WatchEvent>> BlobWatch::look(const azure::Call& call) {
    NewVersion version;
    DownloadOptions options;
    options.conditions.if_none_match = *seen_;
    auto got = download_blob(client_, blob_, version, options, call);
    if (got) {
        if (got->properties.etag == *seen_) return std::nullopt;
        seen_ = got->properties.etag;
        return WatchEvent{Kind::changed, *seen_, std::move(got->properties.last_modified), got->bytes,
                          std::move(version.file)};
    }
    if (got.error().code == ErrorCode::not_modified) return std::nullopt;
    if (got.error().code != ErrorCode::not_found) return fail(got.error());
    if (seen_->empty()) return std::nullopt;
    return WatchEvent{Kind::deleted, std::exchange(*seen_, {})};
}

WatchEvent BlobWatch::trouble(Error error) {
    std::optional<milliseconds> asked;
    if (error.retry_after_ms) asked = milliseconds(*error.retry_after_ms);
    WatchEvent event{Kind::trouble, seen_.value_or("")};
    event.pause = std::max<nanoseconds>(interval_, http::backoff(kPause, ++failures_, asked, client_.random()));
    event.error = std::move(error);
    next_look_ = client_.clock().after(event.pause);
    return event;
}

}  // namespace azlock::ops
