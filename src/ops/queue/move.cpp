#include "ops/queue/move.hpp"

#include "azure/refusals.hpp"
#include "base/text.hpp"
#include "ops/queue/copy_blocks.hpp"
#include "ops/queue/finish.hpp"
#include "ops/queue/insist.hpp"
#include "ops/write/block_digest.hpp"

namespace azlock::ops {
namespace {

std::optional<QueueTask> read_either(const Queue& queue, const azure::BlobAddress& blob,
                                     const azure::BlobProperties& properties) {
    auto task = read_task(queue.name, blob.blob, properties);
    return task ? task : read_dead_letter(queue.name, blob.blob, properties);
}

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

class Mover {
  public:
    Mover(const Queue& queue, const Claim& original, const Destination& to)
        : queue_(queue), original_(original), to_(to) {}

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
        options.metadata = with_moving(to_.metadata, Moving::arriving);
        options.conditions.if_none_match = "*";
        const auto copied = insist(queue_, original_, [&](const azure::Call& call) -> Result<Finished> {
            for (const azure::BlobAddress& name : to_.names) {
                blob_ = name;
                const auto ours = copy(content, options, call);
                if (!ours) return fail(ours.error());
                if (*ours) return Finished::done;
            }
            return fail(ErrorCode::precondition, "another task now has the id of " + printable(original_.task.id),
                        "wait until that task has ended");
        });
        if (!copied || *copied != Finished::done) return copied;
        const azure::Metadata left = with_moving(original_.task.metadata, Moving::left);
        const auto decided = insist(queue_, original_, [&](const azure::Call& call) {
            return finished_by(queue_.many.set_metadata(original_.task.blob, left, original_.conditions(), call));
        });
        // Unless it was decided otherwise: a copy that another mover has taken over has another ETag.
        if (decided && *decided == Finished::lost && !etag_.empty()) {
            (void)queue_.many.delete_blob(blob_, "", version(etag_), {queue_.many.clock().after(kCleanUpTime), {}});
        }
        return decided;
    }

    // Writes the copy as blob_, or takes over the one of an earlier mover. False: another task has that name. An
    // empty etag_: the copy counts already.
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
        if (!present || present->key != original_.task.key) return false;
        if (present->moving == Moving::left) {
            // What is left of an earlier move the other way.
            const auto deleted = queue_.many.delete_blob(blob_, "", version(present->etag), call);
            if (!deleted && azure::is_lease_refusal(deleted.error())) return false;
            return look_again(deleted ? put.error() : deleted.error());
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
        for (const azure::BlobAddress& name : to_.names) {
            const auto head = queue_.many.get_properties(name, {}, call);
            if (!head && !azure::is_missing_blob(head.error())) return fail(head.error());
            const auto present = head ? read_either(queue_, name, head->properties) : std::nullopt;
            if (!present || present->key != original_.task.key || present->moving != Moving::arriving) continue;
            blob_ = name;
            etag_ = present->etag;
            break;
        }
        return Finished::done;
    }

    // Step 3. Done as well if somebody else did it.
    Result<Finished> let_count(const azure::Call& call) {
        const auto written = queue_.many.set_metadata(blob_, to_.metadata, version(etag_), call);
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
    const Destination& to_;
    azure::BlobAddress blob_;  // the copy
    std::string etag_;         // of the copy, if it does not count yet
};

}  // namespace

Result<Finished> move_task(const Queue& queue, const Claim& original, const Destination& to) {
    return Mover(queue, original, to).run();
}

Result<bool> has_arrived(const Queue& queue, const QueueTask& task, const std::vector<azure::BlobAddress>& names,
                         const azure::Call& call) {
    if (task.moving != Moving::left) return false;
    for (const azure::BlobAddress& name : names) {
        const auto head = queue.many.get_properties(name, {}, call);
        if (!head && !azure::is_missing_blob(head.error())) return fail(head.error());
        const auto present = head ? read_either(queue, name, head->properties) : std::nullopt;
        if (present && present->key == task.key && present->moving == Moving::arriving) return false;
    }
    return true;
}

std::vector<azure::BlobAddress> dead_letter_names(const Queue& queue, const QueueTask& task) {
    return {queue.name.dead_letter(task.id), queue.name.dead_letter(task.id + "." + task.key)};
}

std::vector<azure::BlobAddress> task_names(const Queue& queue, const QueueTask& dead) {
    const std::string suffix = "." + dead.key;
    std::string id = dead.id;
    if (!dead.key.empty() && id.ends_with(suffix)) id.resize(id.size() - suffix.size());
    return {queue.name.task(dead.priority, id)};
}

}  // namespace azlock::ops
