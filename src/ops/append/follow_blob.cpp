#include "ops/append/follow_blob.hpp"

#include <algorithm>

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "ops/append/target.hpp"
#include "ops/read/growing_blob.hpp"
#include "ops/read/range_sink.hpp"

namespace azlock::ops {
namespace {

using azure::BlobProperties;
using azure::ByteRange;

class Follower {
  public:
    Follower(azure::BlobClient& client, const azure::BlobAddress& blob, const FollowOptions& options,
             const std::function<Status(ByteView)>& write, const azure::Call& call)
        : client_(client),
          first_(blob),
          blob_(blob),
          options_(options),
          write_(write),
          call_(call),
          retry_(client, options.retry, call) {}

    Status run() {
        if (auto begun = begin(); !begun) return begun;
        for (;;) {
            const auto now = look();
            if (!now) return fail(now.error());
            if (auto read = read_to(now->content_length); !read) return read;
            if (now->sealed) {
                const auto over = at_end();
                if (!over) return fail(over.error());
                if (*over == Next::none) return {};
                if (*over == Next::part) continue;
            }
            if (auto waited = wait(); !waited) return waited;
        }
    }

  private:
    enum class Next { part, none, unknown };

    Status begin() {
        if (!options_.from_end) return {};
        const auto last = retry_.ask([&](const azure::Call& call) { return last_part(client_, first_, call); });
        if (!last) return fail(last.error());
        part_ = *last;
        blob_ = part_of(first_, part_);
        const auto now = look();
        if (!now) return fail(now.error());
        offset_ = now->content_length;
        return {};
    }

    Error refuse(std::string message, std::string hint) const {
        Error error = make_error(ErrorCode::precondition, std::move(message), std::move(hint));
        error.target = blob_.to_string();
        return error;
    }

    // Why a blob that was seen cannot be read any more.
    Error explained(const Error& error) const {
        if (seen_ && azure::is_missing(error)) {
            return refuse("the blob was deleted while it was followed", "run the command again");
        }
        return error.http_status == 416 ? other_blob() : error;
    }

    Error other_blob() const {
        return refuse("another blob has this name now", "run the command again, to read that one");
    }

    Result<BlobProperties> look() {
        auto head = retry_.ask([&](const azure::Call& call) { return client_.get_properties(blob_, {}, call); });
        if (!head) return fail(explained(head.error()));
        if (auto same = check(head->properties); !same) return fail(same.error());
        return std::move(head->properties);
    }

    // Bytes of an append blob never change, so the same blob with at least our length has what was read before.
    Status check(const BlobProperties& now) {
        if (now.blob_type != "AppendBlob") {
            return fail(refuse("it is not an append blob", "'azlock watch' runs a command for each new version"));
        }
        if (!seen_) seen_ = now;
        if (is_same_growing_blob(*seen_, now) && now.content_length >= offset_) return {};
        return fail(other_blob());
    }

    Status read_to(std::uint64_t end) {
        while (offset_ < end) {
            const std::uint64_t length = std::min(options_.range_size, end - offset_);
            const ByteRange range{offset_, length};
            RangeSink sink(offset_, length);
            const auto got = retry_.ask(
                [&](const azure::Call& call) { return client_.get_blob(blob_, range, {}, sink, call); }, length);
            if (!got) return fail(explained(got.error()));
            if (auto same = check(got->properties); !same) return same;
            if (sink.bytes.size() != length) return fail(wrong_range(blob_));
            if (auto ok = write_(as_bytes(sink.bytes)); !ok) return ok;
            offset_ += length;
        }
        return {};
    }

    // The blob is sealed, and all of it was read.
    Result<Next> at_end() {
        const azure::BlobAddress next = part_of(first_, part_ + 1);
        const auto head = retry_.ask([&](const azure::Call& call) { return client_.get_properties(next, {}, call); });
        if (head) {
            ++part_;
            blob_ = next;
            offset_ = 0;
            seen_.reset();
            sealed_since_.reset();
            return Next::part;
        }
        if (!azure::is_missing_blob(head.error())) return fail(head.error());
        if (!sealed_since_) sealed_since_ = client_.clock().now();
        return client_.clock().now() - *sealed_since_ >= kNextPartTime ? Next::none : Next::unknown;
    }

    Status wait() {
        Clock& clock = client_.clock();
        const BootTime until = clock.after(jittered(options_.interval, 0.9, 1.1, client_.random()));
        if (!clock.wait_until(std::min(until, call_.deadline), call_.stop)) return fail(stopped_by_signal());
        return clock.now() < call_.deadline ? Status() : fail(deadline_passed());
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& first_;
    azure::BlobAddress blob_;  // the part that is read
    const FollowOptions& options_;
    const std::function<Status(ByteView)>& write_;
    const azure::Call& call_;
    OutageRetry retry_;
    std::uint64_t part_ = 0;
    std::uint64_t offset_ = 0;            // in blob_
    std::optional<BlobProperties> seen_;  // blob_ at the first look
    std::optional<BootTime> sealed_since_;
};

}  // namespace

Status follow_blob(azure::BlobClient& client, const azure::BlobAddress& blob, const FollowOptions& options,
                   const std::function<Status(ByteView)>& write, const azure::Call& call) {
    return Follower(client, blob, options, write, call).run();
}

}  // namespace azlock::ops
