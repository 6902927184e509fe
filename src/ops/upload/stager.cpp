#include "ops/upload/stager.hpp"

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
      checksum_kind_(first_checksum_kind(client.endpoint())) {}

BlockId Stager::id_for(std::size_t index, const SourceBlock& block, const Sha256Sum& hash) {
    const std::lock_guard lock(mutex_);
    BlockId& id = ids_[index];
    if (id.length != 0 && id.hash == hash) return id;
    id.hash = hash;
    id.length = static_cast<std::uint32_t>(block.body->size());
    id.occurrence = occurrences_[hash]++;
    id.plan = block.plan;
    return id;
}

Status Stager::stage_one(std::size_t index, const SourceBlock& block, const azure::Call& call) {
    const std::uint64_t length = block.body->size();
    for (int damaged = 0;;) {
        if (call.stop.stop_requested()) return fail(stopped_by_signal());
        const Checksum::Kind kind = checksum_kind_;
        const auto sums = digest_block(*block.body, block.plan.hash(), kind);
        if (!sums) return fail(sums.error());
        const BlockId id = id_for(index, block, sums->hash);
        const bool reused = present_.holds(id);
        if (!reused && options_.send) {
            const auto body = std::make_shared<MeteredBody>(block.body, options_.meter, call);
            const auto sent = client_.put_block(blob_, id.encode(), body, sums->checksum, options_.lease_id, call);
            body->finish();
            if (!sent) {
                Error error = explain_put_block(sent.error());
                if (kind == Checksum::Kind::crc64 && refuses_crc64(error)) {
                    checksum_kind_ = Checksum::Kind::md5;
                    continue;
                }
                if (!is_checksum_mismatch(error)) return fail(std::move(error));
                if (auto same = block_source_.check_unchanged(); !same) return same;
                if (++damaged < kMaxDamaged) continue;
                error.code = ErrorCode::data;
                return fail(std::move(error));
            }
        }
        if (Progress* progress = options_.meter.progress) (reused ? progress->reused : progress->sent) += length;
        const std::lock_guard lock(mutex_);
        if (!reused && !std::exchange(places_[index].sent, true)) {
            ++tally_.sent_blocks;
            tally_.sent_bytes += length;
        }
        return {};
    }
}

Result<bool> Stager::stage_next(const azure::Call& call) {
    const auto pass = concurrency_.enter(call.stop);
    if (!pass) return fail(stopped_by_signal());
    std::optional<SourceBlock> block;
    std::size_t index = 0;
    {
        const std::lock_guard one_at_a_time(source_mutex_);
        auto next = block_source_.next(call.stop);
        if (!next) return fail(next.error());
        if (!*next) return false;
        block = std::move(**next);
        const std::lock_guard lock(mutex_);
        index = ids_.size();
        ids_.emplace_back();
        places_.push_back({block->offset, block->body->size(), false});
        ++tally_.blocks;
        tally_.bytes += block->body->size();
    }
    if (auto staged = stage_one(index, *block, call); !staged) return fail(staged.error());
    return true;
}

Status Stager::stage_all(const azure::Call& call) {
    return run_workers(options_.threads, call.stop, [&](std::stop_token stop) {
        return stage_next({call.deadline, stop});
    });
}

Status Stager::stage_missing(const azure::Call& call) {
    auto present = BlockInventory::take(client_, blob_, options_.lease_id, call);
    if (!present) return fail(present.error());
    present_ = std::move(*present);
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (!present_.holds(ids_[i])) missing.push_back(i);
    }
    return run_parallel(options_.threads, missing.size(), call.stop, [&](std::size_t at, std::stop_token stop) {
        const std::size_t index = missing[at];
        const auto pass = concurrency_.enter(stop);
        if (!pass) return Status(fail(stopped_by_signal()));
        SourceBlock block{places_[index].offset, block_source_.again(places_[index].offset, places_[index].length),
                          ids_[index].plan};
        if (!block.body) {
            return Status(fail(ErrorCode::unavailable,
                               "another upload to this blob discarded our staged blocks, and the input cannot be read "
                               "once more",
                               "run the command again"));
        }
        return stage_one(index, block, {call.deadline, stop});
    });
}

StageTally Stager::tally() const {
    const std::lock_guard lock(mutex_);
    return tally_;
}

}  // namespace azlock::ops
