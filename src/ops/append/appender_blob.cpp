// The blob that an appender writes to: found or made at the start, fenced, sealed, and followed by the next part.
#include "azure/refusals.hpp"
#include "ops/append/appender.hpp"
#include "ops/lease/refusal.hpp"
#include "ops/write/staged_only.hpp"

namespace azlock::ops {
namespace {

constexpr int kMostMade = 5;

}  // namespace

bool Appender::must_look() const {
    return options_.must_look || options_.send.fence || options_.rotate || options_.seal;
}

Status Appender::look() {
    Result<AppendState> seen = AppendState();
    if (!unseen_) {
        seen = retry_.ask(
            [&](const azure::Call& call) { return look_at_append_blob(client_, blob_, sender_.lease_id(), call); });
        unseen_ = !seen && azure::lacks_permission(seen.error()) && !must_look();
        if (unseen_ && options_.unseen) options_.unseen();
    }
    if (unseen_) {
        seen = AppendState();
        seen->length_known = false;
    }
    known_ = seen.has_value();
    if (!seen) return fail(seen.error());
    made_ = 0;
    state_ = std::move(*seen);
    return {};
}

// Creates the missing blob that the user named, if the options allow it.
Status Appender::make_first() {
    if (options_.create && options_.send.if_match.empty()) return make();
    Error error = make_error(ErrorCode::not_found, "the blob does not exist");
    if (has_staged_blocks(client_, blob_, retry_.attempt())) {
        error.message += "; only staged blocks have its name";
        error.hint = way_out_of_staged(blob_);
    } else if (!options_.create) {
        error.hint = "leave out --no-create, and azlock creates it";
    }
    return refuse(std::move(error));
}

Status Appender::make() {
    known_ = false;
    if (++made_ > kMostMade) {
        if (has_staged_blocks(client_, blob_, retry_.attempt())) return refuse(only_staged(blob_, "the blob"));
        return refuse(make_error(ErrorCode::not_found, "the blob was created " + std::to_string(kMostMade) +
                                                           " times, and was gone at each look after that"));
    }
    return retry_.ask(
        [&](const azure::Call& call) { return create_append_blob(client_, blob_, options_.content_type, call); });
}

// For a credential that may not ask if the blob exists. It may also not be permitted to create one.
Status Appender::make_unseen() {
    if (!options_.create || !options_.send.if_match.empty()) return {};
    auto made = retry_.ask(
        [&](const azure::Call& call) { return create_append_blob(client_, blob_, options_.content_type, call); });
    if (!made && azure::lacks_permission(made.error())) return {};
    return made;
}

// Finds the blob to append to, without a lease yet. After success the blob exists and is not sealed.
Status Appender::find() {
    auto seen = look();
    const bool missing = !seen && azure::is_missing_blob(seen.error());
    if (!seen && !missing) return seen;
    if (unseen_) return make_unseen();
    if (seen && !state_.sealed) return {};
    if (options_.rotate && part_ == 0) {
        const auto last = retry_.ask([&](const azure::Call& call) { return last_part(client_, first_, call); });
        if (!last) return fail(last.error());
        if (*last > 0) {
            part_ = *last;
            blob_ = part_of(first_, part_);
            return find();
        }
    }
    if (missing) return make_first();
    if (!options_.rotate) return fail(refuse_sealed(blob_));
    return next_part(false);
}

Status Appender::open() {
    auto ready = open_blob();
    if (!ready) end_turn();
    return ready;
}

Status Appender::open_blob() {
    do {
        if (auto found = find(); !found) return found;
        if (known_) break;
        auto seen = look();
        if (!seen && !azure::is_missing_blob(seen.error())) return seen;
    } while (!known_);  // somebody has deleted what was created
    if (options_.send.fence) {
        if (auto expected = check_version(); !expected) return expected;
    }
    const auto& earlier = options_.earlier;
    if (keeps_lease() && earlier && earlier->blob == blob_.blob && !earlier->lease_id.empty()) {
        const auto adopted = turn_.adopt(blob_, earlier->lease_id);
        if (!adopted && !is_definitive(adopted.error())) return adopted;
        if (adopted) return look();
    }
    return keeps_lease() ? take_turn() : Status();
}

// With a fence, each write needs the ETag that was just read. So the ETag of --if-match must be that one.
Status Appender::check_version() const {
    if (sender_.has_written() || expected_.empty() || expected_ == "*" || expected_ == state_.etag) return {};
    return refuse(make_error(ErrorCode::precondition, "the blob does not have the ETag of --if-match",
                             "look at it again and decide again"));
}

// Nothing was appended, so no request has carried the conditions.
Status Appender::check_unwritten() {
    if (expected_.empty() && !options_.send.fence) return {};
    options_.must_look = true;
    unseen_ = false;
    if (auto seen = look(); !seen) return refuse(seen.error());
    if (options_.send.fence) {
        if (auto allowed = check_fence(state_.metadata, *options_.send.fence); !allowed) {
            return refuse(allowed.error());
        }
    }
    return check_version();
}

// Writes our token before the first append to a version that does not have it. If the blob has a later token, nothing
// is written.
Status Appender::raise_fence() {
    if (!options_.send.fence) return {};
    if (auto expected = check_version(); !expected) return expected;
    while (!carries_fence(state_.metadata, *options_.send.fence)) {
        if (auto allowed = check_fence(state_.metadata, *options_.send.fence); !allowed) {
            return refuse(allowed.error());
        }
        azure::Metadata metadata = state_.metadata;
        put_fence(metadata, *options_.send.fence);
        azure::Conditions conditions;
        conditions.if_match = state_.etag;
        conditions.lease_id = sender_.lease_id();
        bool lost = false;
        const auto raised = retry_.ask([&](const azure::Call& call) {
            auto written = client_.set_metadata(blob_, metadata, conditions, call);
            lost = lost || (!written && written.error().may_have_applied);
            return written;
        });
        // Somebody else has written, or we have and the answer was lost.
        const bool changed = !raised && azure::is_condition_not_met(raised.error());
        if (!raised && !changed) return fail(raised.error());
        const std::uint64_t length = state_.length;
        if (auto seen = look(); !seen) return seen;
        if (raised) {
            expected_ = expected_.empty() ? expected_ : raised->etag;
        } else if (lost && carries_fence(state_.metadata, *options_.send.fence) && state_.length == length) {
            expected_ = expected_.empty() ? expected_ : state_.etag;
        }
        if (auto expected = check_version(); !expected) return expected;
    }
    return {};
}

// No append is under way when this is called: the result of every attempt is known.
Status Appender::next_part(bool seal_this) {
    if (seal_this) {
        if (auto sealed = seal(); !sealed) return sealed;
    }
    end_turn();
    do {
        ++part_;
        blob_ = part_of(first_, part_);
        state_ = {};
        known_ = false;
        while (!known_) {
            if (auto made = make(); !made) return made;
            auto seen = look();
            if (!seen && !azure::is_missing_blob(seen.error())) return seen;
        }
    } while (state_.sealed);
    ++report_.rotations;
    if (options_.rotated) options_.rotated(blob_);
    return {};
}

Status Appender::seal() {
    azure::Conditions conditions;
    conditions.lease_id = sender_.lease_id();
    conditions.if_match = sender_.if_match(state_);
    bool lost = false;
    const auto sealed = retry_.ask([&](const azure::Call& call) {
        auto answer = client_.seal(blob_, state_.length, conditions, call);
        lost = lost || (!answer && answer.error().may_have_applied);
        return answer;
    });
    if (!sealed && !(lost && azure::is_condition_not_met(sealed.error()))) return refuse(sealed.error());
    // Some services give the sealed blob another ETag, and so refuse the repeat after a lost answer.
    const auto seen = look();
    if (sealed) state_.sealed = true;
    if (!sealed && !seen) return seen;
    if (!state_.sealed) return refuse(sealed.error());
    sender_.note_write();
    return {};
}

}  // namespace azlock::ops
