#include "ops/upload/stager.hpp"

#include <bit>

#include "azure/refusals.hpp"
#include "base/worker_pool.hpp"
#include "ops/write/block_digest.hpp"
#include "ops/write/body_checksum.hpp"
#include "ops/write/put_one_block.hpp"

namespace azlock::ops {
namespace {

using azure::Checksum;

// azlock gives up a block if the service has found a wrong checksum in this many attempts, and the source did not
// change: the bytes were damaged on the way.
constexpr int kMaxDamaged = 3;

}  // namespace

Stager::Stager(azure::BlobClient& client, azure::BlobAddress blob, BlockSource& block_source, BlockInventory present,
               ConcurrencyLimit& concurrency, StageOptions options)
    : client_(client),
      blob_(std::move(blob)),
      block_source_(block_source),
      present_(std::move(present)),
      concurrency_(concurrency),
      options_(std::move(options)),
      checksum_kind_(first_checksum_kind(client.endpoint())),
      has_pieces_(present_.has_pieces()) {
    // An earlier run has found the line to be slow.
    if (options_.send && present_.has_staged_pieces()) concurrency_.line_is_slow();
}

BlockId Stager::id_for(const SourceBlock& block, const Sha256Sum& hash) {
    const std::lock_guard lock(mutex_);
    BlockId& id = places_[block.offset].id;
    if (id.length == block.body->size() && id.hash == hash) return id;
    if (const auto given = occurrences_.find(id.hash);
        given != occurrences_.end() && id.length != 0 && given->second == id.occurrence + 1) {
        --given->second;  // the id that is replaced will not be used
    }
    id.hash = hash;
    id.length = static_cast<std::uint32_t>(block.body->size());
    id.occurrence = occurrences_[hash]++;
    id.plan = block.plan;
    return id;
}

azure::Call Stager::bounded(azure::Call call, std::uint64_t length) const {
    const std::uint64_t smallest = block_source_.smallest_piece();
    if (smallest > 0 && length > smallest) call.longest_send = ConcurrencyLimit::kLongestSend;
    return call;
}

Result<Stager::Staged> Stager::stage_one(const SourceBlock& block, How how, const azure::Call& call) {
    const std::uint64_t length = block.body->size();
    for (int damaged = 0;;) {
        if (call.stop.stop_requested()) return fail(stopped_by_signal());
        const Checksum::Kind kind = checksum_kind_;
        const auto sums = digest_block(*block.body, block.plan.hash(), kind);
        if (!sums) return fail(sums.error());
        const BlockId id = id_for(block, sums->hash);
        const bool reused = present_.holds(id);
        if (!reused && how == How::only_look) return Staged::absent;
        if (!reused && options_.send) {
            const auto body = std::make_shared<MeteredBody>(block.body, options_.meter, call);
            const BootTime start = client_.clock().now();
            const auto sent = client_.put_block(blob_, id.encode(), body, sums->checksum, options_.lease_id, call);
            body->finish();
            if (!sent) {
                Error error = explain_put_block(sent.error());
                const bool in_time = client_.clock().now() < call.deadline;
                if (call.longest_send.count() > 0 && error.fault == TransportFault::timeout && in_time) {
                    return Staged::too_slow;
                }
                if (kind == Checksum::Kind::crc64 && refuses_crc64(error)) {
                    checksum_kind_ = Checksum::Kind::md5;
                    continue;
                }
                if (!is_checksum_mismatch(error)) return fail(std::move(error));
                if (auto same = block_source_.check_unchanged(); !same) return fail(same.error());
                if (++damaged < kMaxDamaged) continue;
                error.code = ErrorCode::data;
                return fail(std::move(error));
            }
            concurrency_.carried(length, client_.clock().now() - start, how == How::as_block);
        }
        if (Progress* progress = options_.meter.progress) {
            (reused ? progress->reused : progress->sent) += length;
            if (reused) ++progress->reused_blocks;
        }
        const std::lock_guard lock(mutex_);
        if (!reused && !std::exchange(places_[block.offset].sent, true)) {
            ++tally_.sent_blocks;
            tally_.sent_bytes += length;
        }
        return Staged::yes;
    }
}

SourceBlock Stager::piece(const SourceBlock& block, std::uint64_t offset, std::uint64_t length) {
    const std::lock_guard lock(mutex_);
    places_[offset].length = length;
    return {offset, block_source_.again(offset, length), block.plan};
}

Status Stager::stage_block(const SourceBlock& block, Pass pass, const azure::Call& call) {
    const std::uint64_t length = block.body->size();
    const std::uint64_t smallest = block_source_.smallest_piece();
    const bool divisible = smallest > 0 && length > smallest;
    const bool whole = !divisible || (!has_pieces_ && concurrency_.piece() >= length);
    auto staged = stage_one(block, whole ? How::as_block : How::only_look, bounded(call, length));
    if (!staged) return fail(staged.error());
    if (*staged == Staged::yes) return {};
    if (*staged == Staged::too_slow) concurrency_.line_is_slow();
    return stage_pieces(block, std::move(pass), call);
}

Status Stager::stage_pieces(const SourceBlock& block, Pass pass, const azure::Call& call) {
    const std::uint64_t smallest = block_source_.smallest_piece();
    const std::uint64_t end = block.offset + block.body->size();
    {
        const std::lock_guard lock(mutex_);
        --tally_.blocks;
    }
    for (std::uint64_t at = block.offset; at < end;) {
        const std::uint64_t left = end - at;
        const std::uint64_t inside = at - block.offset;
        const auto fits = [&](std::uint64_t length) { return length <= left && inside % length == 0; };
        std::uint64_t length = 0;
        // What an earlier run has staged here. The whole block was not found.
        if (inside > 0 && has_pieces_ && present_.has_length(left)) {
            const auto found = stage_one(piece(block, at, left), How::only_look, call);
            if (!found) return fail(found.error());
            if (*found == Staged::yes) length = left;
        }
        for (std::uint64_t size = std::bit_floor(left); length == 0 && has_pieces_ && size >= smallest; size /= 2) {
            if (!fits(size) || size == block.body->size() || !present_.has_length(size)) continue;
            const auto found = stage_one(piece(block, at, size), How::only_look, call);
            if (!found) return fail(found.error());
            if (*found == Staged::yes) length = size;
        }
        if (length == 0) {
            if (!pass) pass = concurrency_.enter(call.stop);
            if (!pass) return fail(stopped_by_signal());
            std::uint64_t size = std::max(smallest, concurrency_.piece());
            while (size > smallest && inside % size != 0) size /= 2;
            size = std::min(size, left);
            const How how = size == block.body->size() ? How::as_block : How::as_piece;
            const auto staged = stage_one(piece(block, at, size), how, bounded(call, size));
            if (!staged) return fail(staged.error());
            pass.reset();
            if (*staged == Staged::too_slow) {
                concurrency_.line_is_slow();
                continue;
            }
            length = size;
        }
        at += length;
        const std::lock_guard lock(mutex_);
        ++tally_.blocks;
    }
    return {};
}

Result<bool> Stager::stage_next(const azure::Call& call) {
    auto pass = concurrency_.enter(call.stop);
    if (!pass) return fail(stopped_by_signal());
    std::optional<SourceBlock> block;
    {
        const std::lock_guard one_at_a_time(source_mutex_);
        auto next = block_source_.next(call.stop);
        if (!next) return fail(next.error());
        if (!*next) return false;
        block = std::move(**next);
        const std::lock_guard lock(mutex_);
        places_[block->offset].length = block->body->size();
        ++tally_.blocks;
        tally_.bytes += block->body->size();
    }
    if (auto staged = stage_block(*block, std::move(pass), call); !staged) return fail(staged.error());
    return true;
}

std::vector<BlockId> Stager::ids() const {
    const std::lock_guard lock(mutex_);
    std::vector<BlockId> out;
    out.reserve(places_.size());
    for (const auto& [offset, place] : places_) out.push_back(place.id);
    return out;
}

Status Stager::stage_all(const azure::Call& call) {
    return run_workers(options_.threads, call.stop, [&](std::stop_token stop) {
        return stage_next({call.deadline, stop});
    });
}

Status Stager::stage_missing(const azure::Call& call) {
    auto present = BlockInventory::take(client_, blob_, options_.lease_id, call);
    if (!present && !azure::lacks_permission(present.error())) return fail(present.error());
    present_ = present ? std::move(*present) : BlockInventory();
    std::vector<std::pair<std::uint64_t, Place>> missing;
    for (const auto& [offset, place] : places_) {
        if (!present_.holds(place.id)) missing.emplace_back(offset, place);
    }
    return run_parallel(options_.threads, missing.size(), call.stop, [&](std::size_t at, std::stop_token stop) {
        const auto& [offset, place] = missing[at];
        const auto pass = concurrency_.enter(stop);
        if (!pass) return Status(fail(stopped_by_signal()));
        const SourceBlock block{offset, block_source_.again(offset, place.length), place.id.plan};
        if (!block.body) {
            return Status(fail(ErrorCode::unavailable,
                               "another upload to this blob discarded our staged blocks, and the input cannot be read "
                               "once more",
                               "run the command again"));
        }
        const auto staged = stage_one(block, How::as_piece, {call.deadline, stop});
        return staged ? Status() : Status(fail(staged.error()));
    });
}

StageTally Stager::tally() const {
    const std::lock_guard lock(mutex_);
    return tally_;
}

}  // namespace azlock::ops
