#include "ops/queue/move.hpp"

#include <algorithm>
#include <cstdio>

#include "azure/refusals.hpp"
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "ops/queue/finish.hpp"
#include "ops/queue/insist.hpp"
#include "ops/queue/remains.hpp"
#include "ops/read/range_sink.hpp"
#include "ops/write/block_digest.hpp"

namespace azlock::ops {
namespace {

azure::Conditions version(const std::string& etag) {
    azure::Conditions out;
    out.if_match = etag;
    return out;
}

bool changed_meanwhile(const Error& error) {
    return azure::is_condition_not_met(error) || azure::is_missing_blob(error);
}

// The same request will get another answer.
tl::unexpected<Error> look_again(Error error) {
    error.code = ErrorCode::unavailable;
    return fail(std::move(error));
}

constexpr std::uint64_t kBlock = 4ULL * 1024 * 1024;
constexpr std::uint64_t kMostBlocks = 50'000;

void renew(const Queue& queue, Claim& original) {
    Clock& clock = queue.single.clock();
    if (clock.now() < original.held.acquired.boot + original.held.length / 4) return;
    const Now before = now_on(clock);
    const auto renewed =
        queue.single.renew_lease(original.held.blob, original.held.lease_id, {}, {original.lease_end(), {}});
    if (read_renew(renewed, original.held.lease_id).kind == RenewAnswer::Kind::held) original.held.acquired = before;
}

std::string block_id(std::uint64_t number) {
    char text[32];
    const int size = std::snprintf(text, sizeof text, "azlock-move-%08llu", static_cast<unsigned long long>(number));
    return base64_encode(std::as_bytes(std::span(text, static_cast<std::size_t>(size))));
}

// Creates the blob with the content of the claimed task, which this machine cannot keep, and with the metadata and
// condition of `options`. Renews the lease in between, as long as it is held, and writes its new time into the claim.
Result<azure::WriteResult> copy_in_blocks(const Queue& queue, Claim& original, const azure::BlobAddress& copy,
                                          const azure::PutBlobOptions& options) {
    const std::uint64_t size = original.task.size;
    const std::uint64_t block = std::max(kBlock, (size + kMostBlocks - 1) / kMostBlocks);
    std::vector<azure::BlockListEntry> entries;
    for (std::uint64_t offset = 0; offset < size; offset += block) {
        renew(queue, original);
        const azure::Call call{original.lease_end(), {}};
        const std::uint64_t length = std::min(block, size - offset);
        RangeSink sink(offset, length);
        const auto got = queue.many.get_blob(original.task.blob, azure::ByteRange{offset, length},
                                             original.conditions(), sink, call);
        if (!got) return fail(got.error());
        if (sink.bytes.size() != length) return fail(wrong_range(original.task.blob));
        const std::string id = block_id(entries.size());
        const auto put = queue.many.put_block(copy, id, http::make_body(std::move(sink.bytes)), {}, "", call);
        if (!put) return fail(put.error());
        entries.push_back({azure::BlockSource::latest, id});
    }
    azure::PutBlockListOptions list;
    list.content = options.content;
    list.metadata = options.metadata;
    list.conditions = options.conditions;
    renew(queue, original);
    return queue.many.put_block_list(copy, entries, list, {original.lease_end(), {}});
}

class Mover {
  public:
    Mover(const Queue& queue, const Claim& original, const azure::Metadata& of_copy)
        : queue_(queue), original_(original), of_copy_(of_copy) {}

    Result<Finished> run() {
        if (original_.task.moving == Moving::left) {
            const auto found = insist(queue_, original_, [&](const azure::Call& call) { return find_copy(call); });
            if (!found || *found != Finished::done) return found;
        } else {
            const auto sent = send();
            if (!sent || *sent != Finished::done) return sent;
        }
        if (!etag_.empty()) {
            const auto counts = insist(queue_, original_, [&](const azure::Call& call) { return let_count(call); });
            if (!counts || *counts != Finished::done) return counts;
        }
        return finish_task(queue_, original_);
    }

  private:
    // Steps 1 and 2.
    Result<Finished> send() {
        azure::PutBlobOptions options;
        options.content.type = "application/octet-stream";
        std::shared_ptr<const http::Body> content;
        if (original_.content) {
            const auto body = original_.content->body();
            if (!body) return fail(body.error());
            const auto digest = digest_block(**body, HashKind::xxh3, azure::Checksum::Kind::md5);
            if (!digest) return fail(digest.error());
            options.checksum = digest->checksum;
            content = *body;
        }
        options.metadata = with_moving(of_copy_, Moving::arriving);
        options.conditions.if_none_match = "*";
        const auto copied = insist(queue_, original_, [&](const azure::Call& call) -> Result<Finished> {
            std::optional<Error> leased;  // what is in the way
            for (const azure::BlobAddress& name : names_on_other_side(queue_, original_.task)) {
                blob_ = name;
                const auto ours = copy(content, options, call);
                if (ours && *ours) return Finished::done;
                if (!ours && ours.error().code != ErrorCode::busy) return fail(ours.error());
                if (!ours) leased = ours.error();
            }
            if (leased) return fail(*leased);
            return fail(ErrorCode::precondition, "another task now has the id of " + printable(original_.task.id),
                        "wait until that task has ended");
        });
        if (!copied || *copied != Finished::done) return copied;
        const azure::Metadata left = with_moving(original_.task.metadata, Moving::left);
        const auto decided = insist(queue_, original_, [&](const azure::Call& call) {
            return finished_by(queue_.many.set_metadata(original_.task.blob, left, original_.conditions(), call));
        });
        if (decided && *decided == Finished::lost && !etag_.empty()) take_copy_away();
        return decided;
    }

    // Unless it was decided otherwise: by our own request, whose answer was lost, or by another mover, who has taken
    // the copy over; then it has another ETag.
    void take_copy_away() {
        const azure::Call call{queue_.many.clock().after(kCleanUpTime), {}};
        const auto head = queue_.many.get_properties(original_.task.blob, {}, call);
        if (!head && !azure::is_missing_blob(head.error())) return;
        const auto present = head ? read_either(queue_, original_.task.blob, head->properties) : std::nullopt;
        if (present && present->key == original_.task.key && present->moving == Moving::left) return;
        (void)queue_.many.delete_blob(blob_, "", version(etag_), call);
    }

    // Writes the copy as blob_, or takes over the one of an earlier mover. False: another task has that name. An
    // empty etag_: the copy counts already. Error busy: remains that have a lease.
    Result<bool> copy(const std::shared_ptr<const http::Body>& content, const azure::PutBlobOptions& options,
                      const azure::Call& call) {
        const auto put = content ? queue_.many.put_blob(blob_, content, options, call)
                                 : copy_in_blocks(queue_, original_, blob_, options);
        if (put) {
            etag_ = put->etag;
            return true;
        }
        const auto head = queue_.many.get_properties(blob_, {}, call);
        if (!head) return fail(azure::is_missing(head.error()) ? put.error() : head.error());
        const auto present = read_either(queue_, blob_, head->properties);
        if (!present || present->key != original_.task.key || present->moving == Moving::left) {
            const auto free = make_way(queue_, blob_, call);
            // Remains that may not be deleted keep their name.
            if (!free && free.error().code == ErrorCode::precondition) return false;
            return free && *free ? Result<bool>(look_again(put.error())) : free;
        }
        etag_.clear();
        if (present->moving == Moving::no) return true;
        const auto taken = queue_.many.set_metadata(blob_, options.metadata, version(present->etag), call);
        if (!taken) return changed_meanwhile(taken.error()) ? look_again(taken.error()) : fail(taken.error());
        etag_ = taken->etag;
        return true;
    }

    // The copy that an earlier mover did not let count, if there is one.
    Result<Finished> find_copy(const azure::Call& call) {
        const auto present = find_on_other_side(queue_, original_.task, call);
        if (!present) return fail(present.error());
        if (*present && (*present)->moving == Moving::arriving) {
            blob_ = (*present)->blob;
            etag_ = (*present)->etag;
        }
        return Finished::done;
    }

    // Step 3. Done as well if somebody else did it.
    Result<Finished> let_count(const azure::Call& call) {
        const auto written = queue_.many.set_metadata(blob_, of_copy_, version(etag_), call);
        if (written) return Finished::done;
        if (!changed_meanwhile(written.error())) return fail(written.error());
        const auto head = queue_.many.get_properties(blob_, {}, call);
        if (!head) return azure::is_missing_blob(head.error()) ? Result<Finished>(Finished::done) : fail(head.error());
        const auto present = read_either(queue_, blob_, head->properties);
        if (!present || present->key != original_.task.key || present->moving != Moving::arriving)
            return Finished::done;
        etag_ = present->etag;
        return look_again(written.error());
    }

    static constexpr std::chrono::seconds kCleanUpTime{5};

    const Queue& queue_;
    Claim original_;
    const azure::Metadata& of_copy_;
    azure::BlobAddress blob_;  // the copy
    std::string etag_;         // of the copy, if it does not count yet
};

}  // namespace

Result<Finished> move_task(const Queue& queue, const Claim& original, const azure::Metadata& of_copy) {
    return Mover(queue, original, of_copy).run();
}

Result<Finished> bury_task(const Queue& queue, const Claim& claim) {
    Claim dying = claim;
    dying.task.moving = Moving::no;
    dying.task.metadata = ended_metadata(dying.task);
    const azure::Metadata of_letter = dying.task.metadata;
    dying.task.moving = claim.task.moving;
    if (claim.task.moving == Moving::no) {
        const auto decided = insist(queue, claim, [&](const azure::Call& call) {
            return finished_by(queue.many.set_metadata(claim.task.blob, dying.task.metadata, claim.conditions(), call));
        });
        if (!decided || *decided != Finished::done) return decided;
    }
    return move_task(queue, dying, of_letter);
}

}  // namespace azlock::ops
