#include "ops/queue/copy_pieces.hpp"

#include <algorithm>
#include <cstdio>

#include "base/encoding.hpp"

namespace azlock::ops {
namespace {

constexpr std::uint64_t kPiece = 4ULL * 1024 * 1024;
constexpr std::uint64_t kMostPieces = 50'000;

class PieceSink final : public http::BodySink {
  public:
    [[nodiscard]] bool begin(const http::Response& head) override {
        text_.clear();
        return head.status == 206;
    }
    [[nodiscard]] Status write(ByteView data) override {
        text_.append(reinterpret_cast<const char*>(data.data()), data.size());
        return {};
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

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

Result<azure::WriteResult> copy_in_pieces(const Queue& queue, Claim& original, const azure::BlobAddress& copy,
                                          const azure::PutBlobOptions& options) {
    const std::uint64_t size = original.task.size;
    const std::uint64_t piece = std::max(kPiece, (size + kMostPieces - 1) / kMostPieces);
    std::vector<azure::BlockListEntry> entries;
    for (std::uint64_t offset = 0; offset < size; offset += piece) {
        renew(queue, original);
        const azure::Call call{original.lease_end(), {}};
        PieceSink sink;
        const std::uint64_t length = std::min(piece, size - offset);
        const auto got = queue.many.get_blob(original.task.blob, azure::ByteRange{offset, length},
                                             original.conditions(), sink, call);
        if (!got) return fail(got.error());
        const std::string id = block_id(entries.size());
        const auto put = queue.many.put_block(copy, id, http::make_body(sink.take()), {}, "", call);
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
