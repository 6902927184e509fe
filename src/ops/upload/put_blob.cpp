#include "ops/upload/put_blob.hpp"

#include "azure/refusals.hpp"
#include "ops/upload/block_plan.hpp"
#include "ops/upload/discard_staged.hpp"
#include "ops/write/put_one_block.hpp"

namespace azlock::ops {
namespace {

using azure::Call;
using azure::Checksum;
using azure::Conditions;

// Bytes: sending so much takes about as long as one request without a body.
constexpr std::uint64_t kCheapBody = 64 * 1024;

// To be called after a lost answer: a blind repeat could overwrite a later version of somebody else.
Result<Written> write_over_what_is_seen(const UploadTarget& to, std::uint64_t write_id, BootTime first_sent,
                                        Error failure, const Call& call, const ConditionalWrite& write) {
    const auto head = to.client().get_properties(to.blob(), {}, call);
    const bool nothing =
        !head && (azure::is_missing_blob(head.error()) || to.lacks_container(head.error()));  // `write` creates it
    if (nothing) return to.write_rounds(BlobBase{}, write_id, call, write);
    if (!head && head.error().code == ErrorCode::not_found) return fail(head.error());
    if (!head) return fail(undecided(std::move(failure), head.error()));
    BlobBase present = base_of(head->properties);
    if (auto ours = find_write(present, write_id)) return *ours;
    const std::chrono::nanoseconds ago = to.client().clock().now() - first_sent;
    if (existed_before(*head, ago)) return to.write_rounds(std::move(present), write_id, call, write);
    if (written_blindly(present) && written_since(*head, ago)) return Written{{}, true};
    return fail(unresolved(std::move(failure)));
}

Result<Written> write_whole(const UploadTarget& to, const std::optional<BlobBase>& seen, const Call& call,
                            const ConditionalWrite& write) {
    const std::uint64_t write_id = to.client().random().next();
    const Conditions& wanted = to.options().conditions;
    if (seen) return to.write_rounds(*seen, write_id, call, write);
    if (wanted.if_none_match == "*") return to.write_rounds(BlobBase{}, write_id, call, write);
    WriteRing ring;
    ring.add(write_id);
    Conditions unconditional;
    unconditional.lease_id = wanted.lease_id;
    const BootTime first_sent = to.client().clock().now();
    auto result = write(unconditional, ring);
    if (result) return Written{result->etag, false};
    if (!result.error().may_have_applied || result.error().code == ErrorCode::cancelled) return fail(result.error());
    return write_over_what_is_seen(to, write_id, first_sent, result.error(), call, write);
}

// Drops foreign staged blocks that are in the way, if the user allowed it.
Result<azure::WriteResult> as_one_block(const UploadTarget& to, const std::shared_ptr<const http::Body>& body,
                                        HashKind hash, const BlockDigest& sums, const azure::PutBlobOptions& put,
                                        const Call& call) {
    const UploadOptions& options = to.options();
    const PlanTag plan =
        PlanTag::make(CutKind::fixed, hash, options.block_size.value_or(default_block_size(body->size())));
    auto sent = put_one_block(to.client(), to.blob(), body, plan, sums, put, call);
    const bool in_the_way = !sent && sent.error().service_code == "InvalidBlobOrBlock" &&
                            sent.error().operation == "Put Block" && options.discard_staged;
    if (!in_the_way) return sent;
    if (auto dropped = discard_staged(to.client(), to.blob(), put.conditions.lease_id, call); !dropped) {
        Error error = dropped.error();
        error.may_have_applied = false;
        return fail(std::move(error));
    }
    return put_one_block(to.client(), to.blob(), body, plan, sums, put, call);
}

// Some services take staged blocks for a blob that exists (ops/write/staged_only.hpp).
bool only_seems_to_exist(const UploadTarget& to, const Error& refusal, const Call& call) {
    if (refusal.service_code != "BlobAlreadyExists" || refusal.may_have_applied) return false;
    const auto head = to.client().get_properties(to.blob(), {}, call);
    return !head && azure::is_missing_blob(head.error());
}

}  // namespace

Result<UploadReport> put_blob(const UploadTarget& to, std::shared_ptr<const http::Body> content,
                              const std::function<Status()>& check_unchanged, const Meter& meter, const Call& call,
                              std::chrono::milliseconds longest_send) {
    if (auto fits = to.check_metadata(); !fits) return fail(fits.error());
    const UploadOptions& options = to.options();
    const HashKind hash = options.fence ? options.hash.value_or(HashKind::sha256) : HashKind::xxh3;
    auto sums = digest_block(*content, hash, Checksum::Kind::md5);
    if (!sums) return fail(sums.error());
    if (auto same = check_unchanged(); !same) return fail(same.error());

    UploadReport report;
    report.bytes = content->size();
    std::optional<BlobBase> seen;
    const bool conditional = options.conditions.any() || options.fence;
    // A blob that must not exist is looked for only if the refused body would cost more than that.
    const bool look = options.conditions.if_none_match == "*" ? report.bytes > kCheapBody : conditional;
    if (options.skip_unchanged || options.replace_type || look) {
        auto base = to.look_with_conditions(call);
        if (!base) return fail(base.error());
        if (to.may_stay(*base) && base->content_length == report.bytes && base->content_md5 == sums->checksum.value) {
            report.etag = base->etag;
            report.unchanged = true;
            if (meter.progress != nullptr) meter.progress->reused += report.bytes;
            return report;
        }
        report.unseen = !base->seen;
        seen = std::move(*base);
    }

    azure::PutBlobOptions put;
    put.content = options.content;
    put.tags = options.tags;
    put.access_tier = options.access_tier;
    put.checksum = sums->checksum;
    put.once = options.conditions.if_none_match == "*" && !options.leave_existing;
    Call bounded = call;
    bounded.longest_send = longest_send;
    const auto send = [&] {
        const auto body = std::make_shared<MeteredBody>(content, meter, call);
        // If nothing is committed, Put Blob drops staged blocks. A fenced write must not drop those of a later holder.
        const bool as_block = options.fence && put.conditions.if_none_match == "*";
        auto sent = as_block ? as_one_block(to, body, hash, *sums, put, bounded)
                             : to.client().put_blob(to.blob(), body, put, bounded);
        if (!sent && !as_block && only_seems_to_exist(to, sent.error(), call)) {
            sent = as_one_block(to, body, hash, *sums, put, bounded);
        }
        body->finish();
        return sent;
    };
    const auto write = [&](const Conditions& conditions, const WriteRing& ring) {
        put.conditions = conditions;
        put.metadata = to.metadata_with(ring);
        auto result = send();
        if (!result && to.lacks_container(result.error())) {
            if (auto created = to.client().ensure_container(to.blob().container, call); !created) {
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
        if (error.service_code == "InvalidBlobType") error.hint = kReplaceHint;
        return fail(std::move(error));
    }
    if (meter.progress != nullptr) meter.progress->sent += report.bytes;
    report.etag = written->etag;
    report.sent = report.bytes;
    report.recognised = written->recognised;
    return report;
}

}  // namespace azlock::ops
