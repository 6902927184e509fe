#include "ops/upload/put_one_block.hpp"

#include "ops/upload/block_plan.hpp"
#include "ops/upload/discard_staged.hpp"
#include "ops/upload/stager.hpp"

namespace azlock::ops {

Result<azure::WriteResult> put_as_block(const Destination& to, const std::shared_ptr<const http::Body>& content,
                                        const BlockDigest& sums, const azure::PutBlobOptions& put,
                                        const azure::Call& call) {
    const std::string& lease_id = put.conditions.lease_id;
    std::vector<azure::BlockListEntry> list;
    if (content->size() > 0) {
        BlockId id;
        id.hash = sums.hash;
        id.length = static_cast<std::uint32_t>(content->size());
        const UploadOptions& options = to.options();
        id.plan = PlanTag::make(CutKind::fixed, hash_of_block(options),
                                options.block_size.value_or(default_block_size(content->size())));
        list.push_back({azure::BlockSource::latest, id.encode()});
        const auto stage = [&] {
            return to.client().put_block(to.blob(), list.front().id, content, sums.checksum, lease_id, call);
        };
        auto staged = stage();
        if (!staged && staged.error().service_code == "InvalidBlobOrBlock" && options.discard_staged) {
            staged = discard_staged(to.client(), to.blob(), lease_id, call);
            if (staged) staged = stage();
        }
        if (!staged) {
            Error error = explain_put_block(staged.error());
            error.may_have_applied = false;
            return fail(std::move(error));
        }
    }
    azure::PutBlockListOptions commit;
    commit.content = put.content;
    commit.content.md5 = sums.checksum.value;
    commit.metadata = put.metadata;
    commit.tags = put.tags;
    commit.access_tier = put.access_tier;
    commit.conditions = put.conditions;
    return to.client().put_block_list(to.blob(), list, commit, call);
}

}  // namespace azlock::ops
