#include "ops/upload/upload_target.hpp"

#include "azure/refusals.hpp"
#include "base/backoff.hpp"
#include "base/shell_quote.hpp"
#include "ops/write/delete_blob.hpp"

namespace azlock::ops {
namespace {

constexpr auto kShortestPause = std::chrono::milliseconds(20);
constexpr auto kLongestPause = std::chrono::seconds(10);

// True if somebody else wrote the blob after we looked.
bool base_changed(const Error& error) {
    return azure::is_condition_not_met(error) || error.service_code == "BlobAlreadyExists" || blocks_dropped(error);
}

// Not a conflict for the user, who has set no condition: the same command may succeed later.
Error overtaken(Error error, int rounds) {
    error.code = ErrorCode::unavailable;
    error.retryable = true;
    error.message = "others wrote the blob each time before azlock could (" + std::to_string(rounds) + " tries)";
    error.hint = "run the command again when fewer write to it";
    return error;
}

}  // namespace

bool blocks_dropped(const Error& error) {
    return error.service_code == "InvalidBlockList";
}

bool UploadTarget::lacks_container(const Error& error) const {
    return options_.create_container && azure::is_missing_container(error);
}

tl::unexpected<Error> UploadTarget::refuse(ErrorCode code, std::string message, std::string hint) const {
    Error error = make_error(code, std::move(message), std::move(hint));
    error.target = blob_.to_string();
    return fail(std::move(error));
}

azure::Metadata UploadTarget::metadata_with(const WriteRing& ring) const {
    azure::Metadata metadata = options_.metadata;
    if (options_.fence) put_fence(metadata, *options_.fence);
    ring.write(metadata);
    return metadata;
}

Status UploadTarget::check_metadata() const {
    WriteRing ring;
    ring.add(0);
    const std::size_t ours = size_of(options_.metadata);
    const std::size_t all = size_of(metadata_with(ring));
    if (all <= kMaxMetadata) return {};
    return refuse(ErrorCode::usage, "the metadata is too large: " + std::to_string(ours) + " bytes and " +
                                        std::to_string(all - ours) + " that azlock adds; a blob holds at most 8192");
}

Status UploadTarget::check_fence(const BlobBase& base) const {
    if (!options_.fence || !base.exists) return {};
    const auto verdict = ops::check_fence(base.metadata, *options_.fence);
    if (verdict) return {};
    Error error = verdict.error();
    error.target = blob_.to_string();
    return fail(std::move(error));
}

bool UploadTarget::may_stay(const BlobBase& base) const {
    return options_.skip_unchanged && base.seen && base.exists &&
           (!options_.fence || carries_fence(base.metadata, *options_.fence));
}

Result<BlobBase> UploadTarget::look_with_conditions(const azure::Call& call) const {
    azure::Conditions conditions = options_.conditions;
    const bool must_be_absent = conditions.if_none_match == "*";
    if (must_be_absent) conditions.if_none_match.clear();  // the service does not accept '*' for reads
    auto base = read_base(client_, blob_, conditions, call);
    const bool no_container = !base && lacks_container(base.error());
    if (no_container) base = BlobBase{};
    if (!base && azure::lacks_permission(base.error()) && !must_look()) return without_look(call);
    if (!base) {
        Error error = base.error();
        if (error.http_status == 304) {
            error.code = ErrorCode::precondition;
            error.message = "the condition is not met: the blob is not as expected";
        }
        return fail(std::move(error));
    }
    if (must_be_absent && base->exists) return refuse(ErrorCode::precondition, "the blob already exists");
    if (!base->exists && (!options_.conditions.if_match.empty() || !options_.conditions.lease_id.empty())) {
        return refuse(ErrorCode::precondition, "the condition is not met: the blob does not exist");
    }
    if (auto allowed = check_fence(*base); !allowed) return fail(allowed.error());
    // A new version would have no record, and the next holder of the lock would not wait for that command.
    if (!base->lock_of.empty() && options_.conditions.lease_id.empty()) {
        return refuse(
            ErrorCode::busy, "it is a lock whose command may still run: " + base->lock_of,
            "write to another name; if that command has certainly ended: azlock lease break --holder-is-dead " +
                shell_word(blob_.to_string()));
    }
    if (base->exists && base->blob_type != "BlockBlob") {
        if (auto ready = make_room(*base, call); !ready) return fail(ready.error());
        return BlobBase{};
    }
    if (no_container) {
        if (auto created = client_.ensure_container(blob_.container, call); !created) return fail(created.error());
    }
    return base;
}

// What the options ask for cannot be had by the conditions of the write alone.
bool UploadTarget::must_look() const {
    const azure::Conditions& wanted = options_.conditions;
    const bool by_write = wanted.if_modified_since.empty() && wanted.if_unmodified_since.empty() &&
                          (wanted.if_none_match.empty() || wanted.if_none_match == "*");
    return !by_write || options_.fence || options_.replace_type || options_.must_resume || options_.discard_staged;
}

Result<BlobBase> UploadTarget::without_look(const azure::Call& call) const {
    if (options_.create_container) {
        const auto created = client_.ensure_container(blob_.container, call);
        if (!created && !azure::lacks_permission(created.error())) return fail(created.error());
    }
    BlobBase base;
    base.seen = false;
    base.exists = options_.conditions.if_none_match != "*";
    base.etag = options_.conditions.if_match;
    return base;
}

Status UploadTarget::make_room(const BlobBase& other, const azure::Call& call) const {
    if (!options_.replace_type) {
        return refuse(ErrorCode::precondition, "the blob is of another type (" + other.blob_type + ")", kReplaceHint);
    }
    if (!options_.conditions.lease_id.empty()) {
        return refuse(ErrorCode::usage, "--replace-type deletes the blob, and its lease with it: leave out --lease-id");
    }
    DeleteOptions options;
    options.conditions.if_match = other.etag;
    return delete_blob(client_, blob_, options, call);
}

Result<UploadReport> UploadTarget::accept_existing(Result<UploadReport> result, const azure::Call& call) const {
    if (result || !options_.leave_existing) return result;
    // The same if our commit may have been applied: the blob is there, and it does not matter who made it.
    const Error& error = result.error();
    const bool about_existence =
        error.code == ErrorCode::precondition || (error.code == ErrorCode::unavailable && error.may_have_applied);
    if (!about_existence) return result;
    // The refusal may have another reason: foreign staged blocks cause one, and an emulator takes them for a blob.
    const auto present = read_base(client_, blob_, {}, call);
    // Who may not look has only the service's word.
    const bool said = !present && azure::lacks_permission(present.error()) && error.service_code == "BlobAlreadyExists";
    if (!said && (!present || !present->exists)) return result;
    UploadReport report;
    if (present) report.etag = present->etag;
    report.existed = true;
    return report;
}

Result<BlobBase> UploadTarget::next_base(const BlobBase& former, const Error& refusal, const azure::Call& call) const {
    const bool pinned = options_.conditions.any() && !options_.fence;
    // Dropped blocks alone do not break a condition.
    if (pinned && !blocks_dropped(refusal)) return fail(refusal);
    if (!former.seen) return former;
    auto present = read_base(client_, blob_, {}, call);
    if (!present) return present;
    if (pinned && (present->exists != former.exists || present->etag != former.etag)) {
        return refuse(ErrorCode::precondition, "the condition is not met: the blob was written meanwhile");
    }
    if (auto allowed = check_fence(*present); !allowed) return fail(allowed.error());
    return options_.conditions.any() && options_.fence ? look_with_conditions(call) : std::move(present);
}

Result<Written> UploadTarget::overtaken_or(Error failure, const BlobBase& base, const azure::Call& call) const {
    const bool undecided = failure.code == ErrorCode::unavailable && base.seen;
    if (!undecided || options_.fence || options_.conditions.any()) return fail(std::move(failure));
    const auto present = read_base(client_, blob_, {}, call);
    if (!present || present->etag == base.etag || !written_blindly(*present)) return fail(std::move(failure));
    return Written{{}, true};
}

Result<Written> UploadTarget::write_rounds(BlobBase base, std::uint64_t write_id, const azure::Call& call,
                                           const ConditionalWrite& write) const {
    DecorrelatedJitter pause(client_.random(), kShortestPause, kLongestPause);
    Deadline end = kNoDeadline;
    for (int round = 1;; ++round) {
        auto written = write_over(client_, blob_, base, write_id, options_.conditions.lease_id, call, write);
        if (written) return written;
        if (written.error().may_have_applied) return overtaken_or(written.error(), base, call);
        if (!base_changed(written.error())) return written;
        if (end == kNoDeadline) end = client_.clock().after(kRoundTime);
        const BootTime resume = client_.clock().after(pause.next());
        if (resume >= call.deadline || (resume >= end && round >= kLeastRounds)) {
            return fail(overtaken(written.error(), round));
        }
        if (options_.fence || !options_.conditions.any()) {
            if (!client_.clock().wait_until(resume, call.stop)) return fail(stopped_by_signal());
        }
        auto present = next_base(base, written.error(), call);
        if (!present) return fail(present.error());
        if (auto ours = find_write(*present, write_id)) return *ours;  // our unconditional request arrived late
        base = std::move(*present);
        write_id = client_.random().next();
    }
}

}  // namespace azlock::ops
