#include "ops/upload/put_blob.hpp"

#include "ops/upload/put_one_block.hpp"

namespace azlock::ops {
namespace {

using azure::Call;
using azure::Checksum;
using azure::Conditions;

// After a lost answer: a blind repeat could put these bytes over a later version of somebody else.
Result<Written> write_over_what_is_seen(const Destination& to, std::uint64_t write_id, Error failure, const Call& call,
                                        const GuardedWriteFunction& write) {
    auto present = look(to.client(), to.blob(), {}, call);
    if (!present && to.lacks_container(present.error())) present = BlobBase{};  // `write` creates it
    if (!present && present.error().code == ErrorCode::not_found) return fail(present.error());
    if (!present) return fail(undecided(std::move(failure), present.error()));
    if (auto ours = find_write(*present, write_id)) return *ours;
    return to.write_rounds(std::move(*present), write_id, call, write);
}

Result<Written> write_whole(const Destination& to, const std::optional<BlobBase>& seen, const Call& call,
                            const GuardedWriteFunction& write) {
    const std::uint64_t write_id = to.client().random().next();
    const Conditions& wanted = to.options().conditions;
    if (seen) return to.write_rounds(*seen, write_id, call, write);
    if (wanted.if_none_match == "*") return to.write_rounds(BlobBase{}, write_id, call, write);
    WriteRing ring;
    ring.add(write_id);
    Conditions unconditional;
    unconditional.lease_id = wanted.lease_id;
    auto result = write(unconditional, ring);
    if (result) return Written{result->etag, false};
    if (!result.error().may_have_applied || result.error().code == ErrorCode::cancelled) return fail(result.error());
    return write_over_what_is_seen(to, write_id, result.error(), call, write);
}

}  // namespace

Result<UploadReport> put_whole(const Destination& to, std::shared_ptr<const http::Body> content,
                               const std::function<Status()>& check_unchanged, const Meter& meter, const Call& call) {
    const UploadOptions& options = to.options();
    auto sums = digest_block(*content, options.fence ? hash_of_block(options) : HashKind::xxh3, Checksum::Kind::md5);
    if (!sums) return fail(sums.error());
    if (auto same = check_unchanged(); !same) return fail(same.error());

    UploadReport report;
    report.bytes = content->size();
    std::optional<BlobBase> seen;
    const bool guarded = options.conditions.any() || options.fence;
    if (options.skip_unchanged || (guarded && options.conditions.if_none_match != "*")) {
        auto base = to.look_with_conditions(call);
        if (!base) return fail(base.error());
        if (to.may_stay(*base) && base->content_length == report.bytes && base->content_md5 == sums->checksum.value) {
            report.etag = base->etag;
            report.unchanged = true;
            if (meter.progress != nullptr) meter.progress->reused += report.bytes;
            return report;
        }
        seen = std::move(*base);
    }

    azure::PutBlobOptions put;
    put.content = options.content;
    put.tags = options.tags;
    put.access_tier = options.access_tier;
    put.checksum = sums->checksum;
    const auto send = [&] {
        const auto body = std::make_shared<MeteredBody>(content, meter, call);
        // A fenced write must not discard blocks that a later holder has staged where nothing is committed.
        const bool as_block = options.fence && put.conditions.if_none_match == "*";
        auto sent =
            as_block ? put_as_block(to, body, *sums, put, call) : to.client().put_blob(to.blob(), body, put, call);
        body->settle();
        return sent;
    };
    const auto write = [&](const Conditions& conditions, const WriteRing& ring) {
        put.conditions = conditions;
        put.metadata = to.metadata_with(ring);
        auto result = send();
        if (!result && to.lacks_container(result.error())) {
            if (auto created = to.create_container(call); !created) {
                return Result<azure::WriteResult>(fail(created.error()));
            }
            result = send();
        }
        return result;
    };
    auto written = write_whole(to, seen, call, write);
    if (!written) {
        Error error = written.error();
        if (error.service_code == "Md5Mismatch") {
            if (auto same = check_unchanged(); !same) return fail(same.error());
            error.code = ErrorCode::data;
        }
        return fail(std::move(error));
    }
    if (meter.progress != nullptr) meter.progress->sent += report.bytes;
    report.etag = written->etag;
    report.sent = report.bytes;
    report.recognised = written->recognised;
    return report;
}

}  // namespace azlock::ops
