#include "ops/write/put_one_block.hpp"

#include "azure/refusals.hpp"

namespace azlock::ops {

Error explain_put_block(Error error) {
    if (error.service_code == "InvalidBlobOrBlock") {
        error.message = "the blob holds staged blocks of another tool, whose ids have another length";
        error.hint = "let that upload finish, or drop its blocks with --discard-staged";
    }
    if (azure::lacks_permission(error)) {
        error.hint += error.hint.empty() ? "" : "; ";
        error.hint +=
            "several blocks need the permission to write (w); with a larger --block-size, a new file is sent by one "
            "request, for which a SAS with the permission to create (c) is enough";
    }
    error.may_have_applied = false;
    return error;
}

azure::PutBlockListOptions commit_of(const azure::PutBlobOptions& put, const azure::Checksum& md5) {
    azure::PutBlockListOptions out{put.content, put.metadata, put.tags, put.access_tier, put.conditions};
    out.content.md5 = md5.value;
    return out;
}

Result<azure::WriteResult> put_one_block(azure::BlobClient& client, const azure::BlobAddress& blob,
                                         const std::shared_ptr<const http::Body>& content, PlanTag plan,
                                         const BlockDigest& sums, const azure::PutBlobOptions& put,
                                         const azure::Call& call) {
    std::vector<azure::BlockListEntry> list;
    if (content->size() > 0) {
        BlockId id;
        id.hash = sums.hash;
        id.length = static_cast<std::uint32_t>(content->size());
        id.plan = plan;
        list.push_back({azure::BlockSource::latest, id.encode()});
        const auto staged =
            client.put_block(blob, list.front().id, content, sums.checksum, put.conditions.lease_id, call);
        if (!staged) return fail(explain_put_block(staged.error()));
    }
    return client.put_block_list(blob, list, commit_of(put, sums.checksum), call);
}

}  // namespace azlock::ops
