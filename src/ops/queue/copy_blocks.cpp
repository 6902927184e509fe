#include "ops/queue/copy_blocks.hpp"

#include <algorithm>
#include <cstdio>

#include "base/encoding.hpp"
#include "ops/read/range_sink.hpp"

namespace azlock::ops {
namespace {

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

}  // namespace

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

}  // namespace azlock::ops
