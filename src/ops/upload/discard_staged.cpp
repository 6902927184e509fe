#include "ops/upload/discard_staged.hpp"

#include "azure/refusals.hpp"
#include "ops/write/conditional_write.hpp"

namespace azlock::ops {
namespace {

using azure::BlobAddress;
using azure::BlobClient;
using azure::Call;
using azure::Conditions;

// The shortest lease that the service gives. It ends when the blob is deleted.
constexpr int kLeaseSeconds = 15;

Error refused(const BlobAddress& blob, std::string why) {
    Error error = make_error(ErrorCode::precondition, "the staged blocks cannot be discarded safely: " + why,
                             "an upload that completes drops them; else the service does so a week after the last one "
                             "was staged");
    error.target = blob.to_string();
    return error;
}

Status commit_again(BlobClient& client, const BlobAddress& blob, const BlobClient::HeadResult& head,
                    std::vector<azure::BlockListEntry> entries, const std::string& lease_id, const Call& call) {
    const azure::BlobProperties& found = head.properties;
    azure::PutBlockListOptions options;
    options.content = found.content;
    if (!found.access_tier_inferred) options.access_tier = found.access_tier;
    if (found.tag_count > 0) {
        auto tags = client.get_tags(blob, lease_id, call);
        if (!tags) return fail(tags.error());
        options.tags = std::move(*tags);
    }
    auto written = write_over(client, blob, base_of(found), client.random().next(), lease_id, call,
                              [&](const Conditions& conditions, const WriteRing& ring) {
                                  options.conditions = conditions;
                                  options.metadata = found.metadata;
                                  ring.write(options.metadata);
                                  return client.put_block_list(blob, entries, options, call);
                              });
    if (!written) return fail(written.error());
    return {};
}

Status delete_uncommitted(BlobClient& client, const BlobAddress& blob, std::string lease_id, const Call& call) {
    const bool ours = lease_id.empty();
    if (ours) {
        auto taken = client.acquire_lease(blob, kLeaseSeconds, client.random().uuid(), {}, call);
        if (!taken) return fail(taken.error());
        lease_id = taken->lease_id;
    }
    Conditions conditions;
    conditions.lease_id = lease_id;
    // From now on nobody can commit without the lease.
    auto head = client.get_properties(blob, {}, call);
    if (head || !azure::is_missing_blob(head.error())) {
        if (ours) (void)client.release_lease(blob, lease_id, {}, call);
        return head ? fail(refused(blob, "the blob was written meanwhile")) : fail(head.error());
    }
    auto deleted = client.delete_blob(blob, {}, conditions, call);
    if (!deleted && azure::is_missing_blob(deleted.error())) return {};  // an earlier attempt deleted it
    return deleted;
}

}  // namespace

Status discard_staged(BlobClient& client, const BlobAddress& blob, const std::string& lease_id, const Call& call) {
    auto head = client.get_properties(blob, {}, call);
    if (!head && !azure::is_missing_blob(head.error())) return fail(head.error());
    if (!head) return delete_uncommitted(client, blob, lease_id, call);

    std::vector<azure::BlockListEntry> entries;
    std::uint64_t bytes = 0;
    auto listed = client.get_block_list(
        blob, azure::BlockListType::committed, lease_id,
        [&](const azure::Block& block) {
            entries.push_back({azure::BlockSource::committed, std::string(block.id)});
            bytes += block.size;
        },
        [&] {
            entries.clear();
            bytes = 0;
        },
        call);
    if (!listed) return fail(listed.error());
    if (entries.empty() || bytes != head->properties.content_length) {
        return fail(refused(blob, "its content was not written as blocks, so its content would be dropped with them"));
    }
    return commit_again(client, blob, *head, std::move(entries), lease_id, call);
}

Result<BlockInventory::Tally> drop_staged(BlobClient& client, const BlobAddress& blob, const DeleteOptions& options,
                                          bool dry_run, const Call& call) {
    azure::Conditions asked = options.conditions;
    const std::string lease_id = std::exchange(asked.lease_id, {});
    if (asked.any() || options.fence || !options.snapshots.empty()) {
        return fail(ErrorCode::usage, "--staged goes with --lease-id and --dry-run only");
    }
    const auto present = BlockInventory::take(client, blob, lease_id, call);
    if (!present) return fail(present.error());
    const BlockInventory::Tally staged{present->staged().blocks + present->foreign_staged().blocks,
                                       present->staged().bytes + present->foreign_staged().bytes};
    if (staged.blocks == 0 || dry_run) return staged;
    if (auto dropped = discard_staged(client, blob, lease_id, call); !dropped) return fail(dropped.error());
    return staged;
}

}  // namespace azlock::ops
