#include "ops/cas/create_blob.hpp"

#include "base/encoding.hpp"
#include "ops/write/block_id.hpp"
#include "ops/write/put_one_block.hpp"
#include "ops/write/staged_only.hpp"

namespace azlock::ops {
namespace {

// A block of its own for each creation: "azlc", the write id, zeros. As long as the ids of uploads, or of what another
// tool has left, because all staged blocks of a blob must have ids of one length.
constexpr std::string_view kMagic = "azlc";
constexpr std::size_t kIdBytes = BlockId::kEncodedLength / 4 * 3;
constexpr std::size_t kLeastIdBytes = kMagic.size() + sizeof(std::uint64_t);

std::string block_of(std::uint64_t write_id, std::size_t bytes) {
    std::string raw(kMagic);
    for (unsigned shift = 64; shift > 0; shift -= 8) raw += static_cast<char>((write_id >> (shift - 8)) & 0xFFU);
    raw.resize(bytes);
    return base64_encode(as_bytes(raw));
}

// How long the ids of the staged blocks are, in bytes. nullopt: there are none, or it cannot be found out.
std::optional<std::size_t> length_of_staged(azure::BlobClient& client, const azure::BlobAddress& blob,
                                            const std::string& lease_id, const azure::Call& call) {
    std::optional<std::size_t> found;
    const auto visit = [&](const azure::Block& staged) {
        if (const auto raw = base64_decode(staged.id)) found = raw->size();
    };
    const auto listed = client.get_block_list(
        blob, azure::BlockListType::uncommitted, lease_id, visit, [&] { found.reset(); }, call);
    return listed ? found : std::nullopt;
}

// Stages the content under an id that fits the blocks of other tools that are staged there. Returns the id.
Result<std::string> stage(azure::BlobClient& client, const azure::BlobAddress& blob,
                          const std::shared_ptr<const http::Body>& content, const azure::Checksum& checksum,
                          std::uint64_t write_id, const std::string& lease_id, const azure::Call& call) {
    std::string id = block_of(write_id, kIdBytes);
    auto staged = client.put_block(blob, id, content, checksum, lease_id, call);
    if (!staged && staged.error().service_code == "InvalidBlobOrBlock") {
        const auto bytes = length_of_staged(client, blob, lease_id, call);
        if (bytes && *bytes >= kLeastIdBytes) {
            id = block_of(write_id, *bytes);
            staged = client.put_block(blob, id, content, checksum, lease_id, call);
        }
    }
    if (!staged) {
        Error error = explain_put_block(staged.error());
        if (error.service_code == "InvalidBlobOrBlock") error.hint = way_out_of_staged(blob);
        return fail(std::move(error));
    }
    return id;
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
        auto id = stage(client, blob, content, put.checksum, write_id, lease_id, call);
        if (!id) return fail(id.error());
        list.push_back({azure::BlockSource::uncommitted, std::move(*id)});
    }
    azure::PutBlockListOptions commit = commit_of(put, put.checksum);
    commit.conditions = only_over({}, lease_id);
    WriteRing ring;
    ring.add(kNothing);  // as write_over() does: the writer has looked
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
