#include "ops/cas/create_blob.hpp"

#include <algorithm>
#include <array>

#include "base/encoding.hpp"
#include "ops/write/block_id.hpp"
#include "ops/write/put_one_block.hpp"

namespace azlock::ops {
namespace {

// A block of its own for each creation: "azlc", the write id, zeros. As long as the ids of uploads, because all staged
// blocks of a blob must have ids of one length.
constexpr std::string_view kMagic = "azlc";
constexpr std::size_t kIdBytes = BlockId::kEncodedLength / 4 * 3;

std::string block_of(std::uint64_t write_id) {
    std::array<char, kIdBytes> raw{};
    auto at = std::copy(kMagic.begin(), kMagic.end(), raw.begin());
    for (unsigned shift = 64; shift > 0; shift -= 8) *at++ = static_cast<char>((write_id >> (shift - 8)) & 0xFFU);
    return base64_encode(as_bytes(std::string_view(raw.data(), raw.size())));
}

// False also if it cannot be found out.
bool is_staged(azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& block,
               const std::string& lease_id, const azure::Call& call) {
    bool found = false;
    const auto listed = client.get_block_list(
        blob, azure::BlockListType::uncommitted, lease_id,
        [&](const azure::Block& staged) { found = found || staged.id == block; }, [&] { found = false; }, call);
    return listed && found;
}

}  // namespace

Result<Written> create_blob(azure::BlobClient& client, const azure::BlobAddress& blob,
                            const std::shared_ptr<const http::Body>& content, const azure::PutBlobOptions& put,
                            std::uint64_t write_id, const std::string& lease_id, const azure::Call& call) {
    std::vector<azure::BlockListEntry> list;
    if (content->size() > 0) {
        list.push_back({azure::BlockSource::uncommitted, block_of(write_id)});
        const auto staged = client.put_block(blob, list.front().id, content, put.checksum, lease_id, call);
        if (!staged) {
            Error error = explain_put_block(staged.error());
            error.may_have_applied = false;  // nothing was committed
            return fail(std::move(error));
        }
    }
    azure::PutBlockListOptions commit;
    commit.content = put.content;
    commit.content.md5 = put.checksum.value;
    commit.metadata = put.metadata;
    commit.tags = put.tags;
    commit.access_tier = put.access_tier;
    commit.conditions = only_over({}, lease_id);
    WriteRing ring;
    ring.add(write_id);
    ring.write(commit.metadata);
    const auto written = client.put_block_list(blob, list, commit, call);
    if (written) return Written{written->etag, false};

    Error failure = written.error();
    if (!failure.may_have_applied) {
        // Somebody else's creation discarded our block, and that blob is gone already.
        if (failure.service_code == "InvalidBlockList") failure.service_code = "ConditionNotMet";
        return fail(std::move(failure));
    }
    if (failure.code == ErrorCode::cancelled) return fail(std::move(failure));
    const auto present = read_base(client, blob, {}, call);
    if (!present) return fail(undecided(std::move(failure), present.error()));
    if (auto ours = find_write(*present, write_id)) return *ours;
    // A commit that was not refused may still be under way.
    const bool refused = failure.code != ErrorCode::unavailable;
    if (refused && !list.empty() && is_staged(client, blob, list.front().id, lease_id, call)) {
        failure.may_have_applied = false;
        return fail(std::move(failure));
    }
    return fail(undecided(failure, failure));
}

}  // namespace azlock::ops
