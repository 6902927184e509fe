#include "ops/read/download.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "azure/refusals.hpp"
#include "base/digest.hpp"
#include "base/system_limit.hpp"
#include "base/worker_pool.hpp"
#include "ops/read/growing_blob.hpp"
#include "ops/read/ordered_output.hpp"
#include "ops/read/range_sink.hpp"
#include "ops/transfer/concurrency_limit.hpp"

namespace azlock::ops {
namespace {

using azure::ByteRange;
using azure::Call;
using azure::Conditions;

constexpr int kMaxStarts = 3;
constexpr std::uint64_t kSmallestLimitedRange = 64 * 1024;

// A growing blob was replaced by another one. The service, which was not asked for a version, did not refuse the range.
Error other_blob() {
    return make_error(ErrorCode::precondition, {});
}
bool is_other_blob(const Error& error) {
    return error.code == ErrorCode::precondition && error.http_status == 0;
}

std::uint64_t range_for(const DownloadOptions& options) {
    const std::uint64_t share = std::bit_floor(options.memory / std::max<std::size_t>(options.concurrency, 1));
    const std::uint64_t range = std::min(options.range_size, std::max(share, kSmallestRange));
    if (options.meter.limit == nullptr) return range;
    return std::min(range, std::max(std::bit_floor(options.meter.limit->rate()), kSmallestLimitedRange));
}
std::size_t places_for(const DownloadOptions& options, std::uint64_t range_size) {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(options.memory / range_size, 1, options.concurrency));
}

// The first range, whose answer tells the length of the blob.
class FirstRangeSink final : public RangeSink {
  public:
    FirstRangeSink(std::uint64_t length, DownloadTarget& target, const Meter& meter, const Call& call)
        : RangeSink(0, length, meter, call), target_(target), progress_(meter.progress) {}

    [[nodiscard]] bool begin(const http::Response& head) override {
        const auto range = azure::parse_content_range(head.headers.get("Content-Range"));
        total_ = range ? range->total : 0;
        return RangeSink::begin(head);
    }
    [[nodiscard]] Status write(ByteView data) override {
        if (const std::uint64_t total = std::exchange(total_, 0); total > 0) {
            if (progress_ != nullptr) progress_->total = total;
            if (auto room = target_.expect(total); !room) return room;
        }
        return RangeSink::write(data);
    }

  private:
    DownloadTarget& target_;
    Progress* progress_;
    std::uint64_t total_ = 0;
};

class Download {
  public:
    Download(azure::BlobClient& client, const azure::BlobAddress& blob, DownloadTarget& target,
             const DownloadOptions& options, const Call& call)
        : client_(client),
          blob_(blob),
          target_(target),
          options_(options),
          call_(call),
          range_size_(range_for(options)),
          at_once_(affordable(places_for(options, range_size_))) {}

    Result<DownloadReport> run() {
        for (int start = 1;; ++start) {
            auto done = once();
            if (done || !changed_ || start == kMaxStarts || !target_.restart()) return done;
            changed_ = false;
        }
    }

  private:
    Result<DownloadReport> once() {
        if (Progress* progress = options_.meter.progress) progress->sent -= done_.exchange(0);
        FirstRangeSink sink(range_size_, target_, options_.meter, call_);
        auto first = client_.get_blob(blob_, ByteRange{0, range_size_}, options_.conditions, sink, call_);
        if (!first && first.error().http_status == 416) return empty();
        if (!first) return fail(first.error());
        report_ = {};
        report_.properties = std::move(first->properties);
        const std::uint64_t total = report_.properties.content_length;
        if (sink.bytes.size() != std::min(total, range_size_)) return fail(wrong_range(blob_));

        Md5 md5;
        const bool check = options_.check_md5 && !report_.properties.content.md5.empty();
        OrderedOutput output([&](const std::string& range) -> Status {
            if (check) md5.update(as_bytes(range));
            report_.bytes += range.size();
            return target_.write(as_bytes(range));
        });
        if (auto ok = deliver(output, 0, sink, call_.stop); !ok) return fail(ok.error());
        sink.bytes = {};
        const std::size_t ranges = static_cast<std::size_t>((total + range_size_ - 1) / range_size_);
        auto rest = run_parallel(at_once_, ranges - 1, call_.stop, [&](std::size_t item, std::stop_token stop) {
            return fetch(item + 1, total, output, {call_.deadline, stop});
        });
        if (!rest) {
            changed_ = azure::is_condition_not_met(rest.error()) || rest.error().code == ErrorCode::not_found ||
                       is_other_blob(rest.error());
            return fail(explain(rest.error()));
        }
        if (check) {
            if (auto ok = compare_md5(md5.finish()); !ok) return fail(ok.error());
        }
        return std::move(report_);
    }

    Status fetch(std::size_t number, std::uint64_t total, OrderedOutput& output, const Call& call) {
        const std::uint64_t offset = number * range_size_;
        const std::uint64_t length = std::min(range_size_, total - offset);
        Conditions pinned;
        const bool grows = may_grow(report_.properties);
        if (!grows) pinned.if_match = report_.properties.etag;
        pinned.lease_id = options_.conditions.lease_id;
        RangeSink sink(offset, length, options_.meter, call);
        sink.bytes.reserve(length);
        auto pass = places_.enter(call.stop);
        if (!pass) return fail(stopped_by_signal());
        azure::Call first = call;
        first.longest_send = ConcurrencyLimit::kLongestSend;  // a timeout comes back at once
        BootTime start = client_.clock().now();
        auto got = client_.get_blob(blob_, ByteRange{offset, length}, pinned, sink, first);
        if (!got && got.error().fault == TransportFault::timeout && client_.clock().now() < call.deadline) {
            places_.line_is_slow();
            pass.reset();
            pass = places_.enter(call.stop);
            if (!pass) return fail(stopped_by_signal());
            start = client_.clock().now();
            got = client_.get_blob(blob_, ByteRange{offset, length}, pinned, sink, call);
        }
        pass.reset();  // a range that waits until the output needs it keeps nobody from the line
        if (!got) return fail(grows && got.error().http_status == 416 ? other_blob() : got.error());
        if (grows && !is_same_growing_blob(report_.properties, got->properties)) return fail(other_blob());
        places_.carried(length, client_.clock().now() - start, true);
        if (sink.bytes.size() != length) return fail(wrong_range(blob_));
        return deliver(output, number, sink, call.stop);
    }

    Status deliver(OrderedOutput& output, std::size_t number, RangeSink& sink, const std::stop_token& stop) {
        auto done = output.deliver(number, sink.bytes, stop);
        if (!done) return done;
        sink.delivered();
        done_ += sink.bytes.size();
        return done;
    }

    // The service refuses a range of an empty blob [Get Blob]. The properties tell whether the blob is still
    // empty.
    Result<DownloadReport> empty() {
        auto head = client_.get_properties(blob_, options_.conditions, call_);
        if (!head) return fail(head.error());
        report_ = {};
        report_.properties = std::move(head->properties);
        if (report_.properties.content_length != 0) {
            changed_ = true;
            return fail(explain(make_error(ErrorCode::precondition, {})));
        }
        if (options_.check_md5 && !report_.properties.content.md5.empty()) {
            if (auto ok = compare_md5(md5({})); !ok) return fail(ok.error());
        }
        return std::move(report_);
    }

    Status compare_md5(const Md5Sum& sum) {
        if (base64_encode(sum) != report_.properties.content.md5) {
            Error error = make_error(ErrorCode::data, "the content does not match the blob's stored MD5",
                                     "the blob or its Content-MD5 is wrong; --no-check-md5 skips this check");
            error.target = blob_.to_string();
            return fail(std::move(error));
        }
        report_.md5_checked = true;
        return {};
    }

    Error explain(Error error) const {
        if (changed_ && error.code == ErrorCode::precondition) {
            error.message = "the blob changed while it was downloaded";
            error.hint = "run the command again";
            error.target = blob_.to_string();
        }
        return error;
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    DownloadTarget& target_;
    const DownloadOptions& options_;
    const Call& call_;
    const std::uint64_t range_size_;
    const std::size_t at_once_;
    ConcurrencyLimit places_{at_once_};  // one after the other, once an attempt has timed out
    DownloadReport report_;
    bool changed_ = false;
    std::atomic<std::uint64_t> done_{0};  // bytes of this start
};

}  // namespace

Result<DownloadReport> download_blob(azure::BlobClient& client, const azure::BlobAddress& blob, DownloadTarget& target,
                                     const DownloadOptions& options, const azure::Call& call) {
    return Download(client, blob, target, options, call).run();
}

}  // namespace azlock::ops
