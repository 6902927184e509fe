// Uploads in tests: blocks of 4 KiB, so that small files have several, and what must hold after every upload.
#pragma once

#include "ops/upload/upload_file.hpp"
#include "ops/write/write_ring.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::test {

inline constexpr std::uint64_t kSmallBlock = 4096;
inline constexpr const char* kOldBlob = "the old good blob";  // 17 bytes, written by Put Blob

[[nodiscard]] inline ops::UploadOptions small_blocks(std::size_t concurrency = 1) {
    ops::UploadOptions options;
    options.block_size = kSmallBlock;
    options.concurrency = concurrency;
    return options;
}

[[nodiscard]] inline ops::UploadOptions with_if_match(ops::UploadOptions options, const std::string& etag) {
    options.conditions.if_match = etag;
    return options;
}

[[nodiscard]] inline ops::UploadOptions only_if_absent(ops::UploadOptions options) {
    options.conditions.if_none_match = "*";
    return options;
}

inline Result<ops::UploadReport> upload(Rig& rig, const std::string& path, const ops::UploadOptions& options,
                                        const azure::Call& call = {}) {
    ops::ConcurrencyLimit concurrency(options.concurrency);
    return ops::upload_file(rig.us.client(), rig.blob, path, options, {concurrency, {}}, call);
}

// A peer's azlock uploads `content`. The scripted faults do not affect it.
inline void peer_uploads(Rig& rig, const std::string& content, const ops::UploadOptions& options) {
    const std::string path = rig.file(content, "of the peer");
    ops::ConcurrencyLimit concurrency(options.concurrency);
    const auto report = ops::upload_file(rig.peer.client(), rig.blob, path, options, {concurrency, {}}, {});
    if (!report) throw std::runtime_error("the peer's upload failed: " + why(report));
}
// In several blocks: only such an upload looks first, and so carries the ring forward.
inline void peer_uploads_blocks(Rig& rig, const std::string& content) {
    peer_uploads(rig, content, small_blocks());
}

[[nodiscard]] inline ops::WriteRing ring_of(Rig& rig) {
    const FakeBlobView view = rig.view();
    return ops::WriteRing::read({view.metadata.begin(), view.metadata.end()});
}

[[nodiscard]] inline std::string etag_of(Rig& rig) {
    return '"' + rig.view().etag + '"';
}

// Whatever happened: nothing was deleted, and every block list that was sent names all blocks.
inline void check_nothing_lost(const Rig& rig, std::size_t blocks) {
    const std::string id(64, 'A');
    const std::size_t whole =
        azure::make_block_list_xml(std::vector<azure::BlockListEntry>(blocks, {azure::BlockSource::latest, id})).size();
    for (const LoggedRequest& line : rig.service.log()) {
        CHECK(line.operation.find("Delete") == std::string::npos);
        if (line.operation == "Put Block List") CHECK(line.body_size == whole);
    }
}

}  // namespace azlock::test
