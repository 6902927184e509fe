#include "ops/write/delete_blob.hpp"

#include "azure/refusals.hpp"
#include "base/shell_quote.hpp"
#include "ops/lease/view.hpp"
#include "ops/write/conditional_write.hpp"
#include "ops/write/content_request.hpp"

namespace azlock::ops {
namespace {

using azure::Call;
using azure::Conditions;

bool is_gone(const Error& error) {
    return error.code == ErrorCode::not_found;  // a page of somebody in between may have a status 404, too
}

Error unknown(Error failure, const char* why) {
    failure.code = ErrorCode::unavailable;
    failure.may_have_applied = true;
    failure.message = why;
    failure.hint = "look at the blob before deleting it again";
    return failure;
}

Error written_again(Error failure) {
    return unknown(std::move(failure),
                   "the blob was written again meanwhile, and the answer to the delete was lost; the delete may have "
                   "been carried out on the earlier version");
}

Error too_new(Error failure) {
    return unknown(std::move(failure),
                   "the answer to the delete was lost; the blob is there, but it is so new that it may have been "
                   "written before the delete or after it");
}

Error not_met(Error error) {
    error.code = ErrorCode::precondition;
    error.message = "the condition is not met: the blob is not as expected";
    return error;
}

class Deletion {
  public:
    Deletion(azure::BlobClient& client, const azure::BlobAddress& blob, const DeleteOptions& options, const Call& call)
        : client_(client), blob_(blob), options_(options), call_(call) {}

    Status run() {
        const BootTime start = client_.clock().now();
        auto deleted = client_.delete_blob(blob_, options_.snapshots, options_.conditions, call_);
        if (deleted || !deleted.error().may_have_applied || deleted.error().code == ErrorCode::cancelled) {
            return deleted;
        }
        if (is_gone(deleted.error())) return {};
        const auto head = client_.get_properties(blob_, {}, call_);
        if (!head) return after_failed_look(deleted.error(), head.error());
        const std::string& etag = head->properties.etag;
        const bool untouched = etag == options_.conditions.if_match || etag == options_.seen;
        if (!untouched && !existed_before(*head, client_.clock().now() - start)) return fail(too_new(deleted.error()));
        if (deleted.error().code != ErrorCode::unavailable) return refused(deleted.error());
        return repeat(etag, deleted.error());
    }

  private:
    // The first request did not delete this version. Deletes it if it meets the user's conditions.
    Status repeat(const std::string& etag, const Error& failure) {
        Conditions asked = options_.conditions;
        asked.lease_id.clear();  // the delete itself carries the lease id
        if (asked.any()) {
            const auto met = client_.get_properties(blob_, asked, call_);
            if (!met && met.error().http_status == 304) return fail(not_met(met.error()));
            if (!met) return is_gone(met.error()) ? Status{} : fail(met.error());
            if (met->properties.etag != etag) return fail(written_again(failure));
        }
        Conditions pinned;
        pinned.if_match = etag;
        pinned.lease_id = options_.conditions.lease_id;
        auto again = client_.delete_blob(blob_, options_.snapshots, pinned, call_);
        if (again || again.error().code == ErrorCode::cancelled) return again;
        if (is_gone(again.error())) return {};
        const bool other_version = azure::is_condition_not_met(again.error());
        if (!again.error().may_have_applied && !other_version) return again;
        const auto head = client_.get_properties(blob_, {}, call_);
        if (!head) return after_failed_look(again.error(), head.error());
        if (head->properties.etag != etag) return fail(written_again(again.error()));
        return again.error().code == ErrorCode::unavailable ? again : refused(again.error());
    }

    static Status after_failed_look(Error failure, const Error& look_error) {
        if (is_gone(look_error)) return {};
        return fail(undecided(std::move(failure), look_error));
    }

    // The refusal is certain, because the version that it is about still exists.
    static Status refused(Error failure) {
        failure.may_have_applied = false;
        return fail(std::move(failure));
    }

    azure::BlobClient& client_;
    const azure::BlobAddress& blob_;
    const DeleteOptions& options_;
    const Call& call_;
};

// A delete that decides by what it has seen gives up if this many versions have changed before the delete arrived.
constexpr int kMaxRounds = 3;

// The delete would also remove the record. Then the next holder does not know that it must wait for the command.
Status must_not_have_command(const azure::BlobProperties& seen, const azure::BlobAddress& blob) {
    const LeaseView view = make_lease_view(seen, std::nullopt);
    if (!view.has_command()) return {};
    Error error = make_error(ErrorCode::busy,
                             view.is_taken() ? "it is a lock, held by " + view.holder()
                                             : "it is a lock whose command may still run: " + view.holder(),
                             "if that command has certainly ended: azlock lease break --holder-is-dead " +
                                 shell_word(blob.to_string()) + "; --force" +
                                 (view.is_taken() ? " and --lease-id delete" : " deletes") + " the blob nevertheless");
    error.target = blob.to_string();
    return fail(std::move(error));
}

// The blob that a delete with these options would delete.
Result<azure::BlobProperties> look_before_delete(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                 const DeleteOptions& options, const Call& call) {
    auto head = client.get_properties(blob, options.conditions, call);
    if (!head) return fail(head.error().http_status == 304 ? not_met(head.error()) : head.error());
    if (options.fence) {
        if (const auto allowed = check_fence(head->properties.metadata, *options.fence); !allowed) {
            Error error = allowed.error();
            error.target = blob.to_string();
            return fail(std::move(error));
        }
    }
    if (options.spare_locks) {
        if (auto ok = must_not_have_command(head->properties, blob); !ok) return fail(ok.error());
    }
    return std::move(head->properties);
}

Status delete_seen(azure::BlobClient& client, const azure::BlobAddress& blob, const DeleteOptions& options,
                   const Call& call) {
    for (int round = 1;; ++round) {
        const auto seen = look_before_delete(client, blob, options, call);
        if (!seen) return fail(seen.error());
        DeleteOptions pinned;
        pinned.conditions.if_match = seen->etag;
        pinned.conditions.lease_id = options.conditions.lease_id;
        pinned.snapshots = options.snapshots;
        auto deleted = Deletion(client, blob, pinned, call).run();
        if (deleted || round == kMaxRounds || deleted.error().may_have_applied ||
            !azure::is_condition_not_met(deleted.error())) {
            return deleted;
        }
    }
}

// Nothing if there is no blob. Without the right to read, the delete goes on without knowing.
Result<std::optional<azure::BlobProperties>> look(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                  const Call& call) {
    auto head = client.get_properties(blob, {}, call);
    if (head) return std::optional(std::move(head->properties));
    if (head.error().code == ErrorCode::auth || is_gone(head.error())) return std::optional<azure::BlobProperties>();
    return fail(head.error());
}

bool is_lock(const azure::BlobProperties& seen) {
    return make_lease_view(seen, std::nullopt).owner.slots.has_value();
}

}  // namespace

Status delete_blob(azure::BlobClient& client, const azure::BlobAddress& blob, const DeleteOptions& options,
                   const azure::Call& call) {
    if (options.fence) return delete_seen(client, blob, options, call);
    return Deletion(client, blob, options, call).run();
}

Result<DeleteReport> delete_as_asked(azure::BlobClient& client, const azure::BlobAddress& blob,
                                     const DeleteOptions& wanted, bool dry_run, const azure::Call& call) {
    if (auto ok = check_write_conditions(wanted.conditions); !ok) return fail(ok.error());
    if (!wanted.conditions.if_none_match.empty()) {
        return fail(ErrorCode::usage,
                    "--if-none-match does not go with delete: the service would ignore '*' and delete");
    }
    const bool keeps_blob = wanted.snapshots == "only" || !blob.snapshot.empty();
    DeleteOptions options = wanted;
    options.spare_locks = wanted.spare_locks && !keeps_blob;
    if (dry_run) {
        auto seen = look_before_delete(client, blob, options, call);
        if (!seen) return fail(seen.error());
        return DeleteReport{false, std::move(*seen)};
    }
    bool lock = false;
    if (options.spare_locks) {
        const auto seen = look(client, blob, call);
        if (!seen) return fail(seen.error());
        lock = *seen && is_lock(**seen);
        if (*seen) options.seen = (*seen)->etag;
    }
    const Status deleted = lock ? delete_seen(client, blob, options, call) : delete_blob(client, blob, options, call);
    if (!deleted) {
        Error error = deleted.error();
        if (error.service_code == "SnapshotsPresent") error.hint = "delete them too: --snapshots include";
        return fail(std::move(error));
    }
    return DeleteReport{true};
}

}  // namespace azlock::ops
