#include "ops/queue/remains.hpp"

#include "azure/names.hpp"
#include "azure/refusals.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

Result<std::optional<azure::BlobProperties>> look(const Queue& queue, const azure::BlobAddress& blob,
                                                  const azure::Call& call) {
    auto head = queue.many.get_properties(blob, {}, call);
    if (head) return std::optional(std::move(head->properties));
    if (azure::is_missing_blob(head.error())) return std::optional<azure::BlobProperties>();
    return fail(head.error());
}

// A task of another tool may have a name that is nearly as long as a name can be.
bool fits(const azure::BlobAddress& blob) {
    return azure::check_blob_name(blob.blob).has_value();
}

// A task that waits for the other lines of its batch.
Result<bool> is_of_batch(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    const std::size_t dash = task.id.rfind('-');
    if (task.dead || dash == std::string::npos || dash == 0) return false;
    const auto batch = look(queue, {queue.name.container, queue.name.batches() + task.id.substr(0, dash), {}}, call);
    if (!batch) return fail(batch.error());
    return batch->has_value();
}

// Nobody lets it count: a copy without an original, or a task whose batch is gone.
Result<bool> is_orphan(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    if (task.moving != Moving::arriving) return false;
    const auto original = find_on_other_side(queue, task, call);
    if (!original) return fail(original.error());
    if (*original) return false;
    return is_of_batch(queue, task, call).map([](bool of_batch) { return !of_batch; });
}

}  // namespace

std::vector<azure::BlobAddress> names_on_other_side(const Queue& queue, const QueueTask& task) {
    const std::string suffix = "." + task.key;
    std::string id = task.id;
    if (!task.dead) {
        std::vector<azure::BlobAddress> out;
        if (fits(queue.name.dead_letter(id))) out.push_back(queue.name.dead_letter(id));
        while (!id.empty() && !fits(queue.name.dead_letter(id + suffix))) id.pop_back();
        out.push_back(queue.name.dead_letter(id + suffix));
        return out;
    }
    if (!task.key.empty() && id.ends_with(suffix)) id.resize(id.size() - suffix.size());
    return {queue.name.task(task.priority, id)};
}

std::optional<QueueTask> read_either(const Queue& queue, const azure::BlobAddress& blob,
                                     const azure::BlobProperties& properties) {
    auto task = read_task(queue.name, blob.blob, properties);
    return task ? task : read_dead_letter(queue.name, blob.blob, properties);
}

Result<std::optional<QueueTask>> find_on_other_side(const Queue& queue, const QueueTask& task,
                                                    const azure::Call& call) {
    std::optional<QueueTask> left;
    for (const azure::BlobAddress& name : names_on_other_side(queue, task)) {
        const auto there = look(queue, name, call);
        if (!there) return fail(there.error());
        auto found = *there ? read_either(queue, name, **there) : std::nullopt;
        if (!found || found->key != task.key) continue;
        if (found->moving != Moving::left) return found;
        left = std::move(found);
    }
    return left;
}

Result<bool> has_arrived(const Queue& queue, const QueueTask& task, const azure::Call& call) {
    if (task.moving != Moving::left) return false;
    return find_on_other_side(queue, task, call).map([](const std::optional<QueueTask>& copy) {
        return !copy || copy->moving != Moving::arriving;
    });
}

Status delete_remains(const Queue& queue, const QueueTask& seen, const azure::Call& call) {
    azure::Conditions as_seen;
    as_seen.if_match = seen.etag;
    const auto deleted = queue.many.delete_blob(seen.blob, "", as_seen, call);
    if (deleted || azure::is_condition_not_met(deleted.error()) || azure::is_missing_blob(deleted.error()) ||
        azure::is_lease_refusal(deleted.error())) {
        return {};
    }
    return deleted;
}

Result<bool> make_way(const Queue& queue, const azure::BlobAddress& blob, const azure::Call& call) {
    const auto there = look(queue, blob, call);
    if (!there) return fail(there.error());
    if (!*there) return true;
    const auto present = read_either(queue, blob, **there);
    if (!present || present->moving == Moving::no) return false;
    const auto remains =
        present->moving == Moving::left ? has_arrived(queue, *present, call) : is_orphan(queue, *present, call);
    if (!remains || !*remains) return remains;
    if (present->runs()) {
        return fail(ErrorCode::busy, "what is left of an earlier task " + printable(present->id) + " has a lease",
                    "the lease ends within a minute; then run the command again");
    }
    return delete_remains(queue, *present, call).map([] { return true; });
}

}  // namespace azlock::ops
