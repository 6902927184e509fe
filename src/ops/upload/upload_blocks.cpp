#include "ops/upload/upload_blocks.hpp"

#include "base/quantity.hpp"
#include "ops/upload/content_cut.hpp"
#include "ops/upload/discard_staged.hpp"
#include "ops/upload/stager.hpp"

namespace azlock::ops {
namespace {

using azure::Call;
using azure::Conditions;

std::vector<azure::BlockListEntry> latest(const std::vector<BlockId>& ids) {
    std::vector<azure::BlockListEntry> out;
    out.reserve(ids.size());
    for (const BlockId& id : ids) out.push_back({azure::BlockSource::latest, id.encode()});
    return out;
}

// Commits the blocks. If somebody else's commit has dropped staged blocks, the next call stages them again first.
class Commit {
  public:
    Commit(const UploadTarget& to, Stager& stager, BlockSource& block_source, azure::PutBlockListOptions options)
        : to_(to), stager_(stager), block_source_(block_source), options_(std::move(options)) {}

    Result<azure::WriteResult> run(const Conditions& conditions, const WriteRing& ring, const Call& call) {
        if (dropped_) {
            if (auto staged = stager_.stage_missing(call); !staged) return fail(staged.error());
            if (auto same = block_source_.check_unchanged(); !same) return fail(same.error());
        }
        options_.conditions = conditions;
        options_.metadata = to_.metadata_with(ring);
        auto result = to_.client().put_block_list(to_.blob(), latest(stager_.ids()), options_, call);
        dropped_ = !result && blocks_dropped(result.error());
        return result;
    }

  private:
    const UploadTarget& to_;
    Stager& stager_;
    BlockSource& block_source_;
    azure::PutBlockListOptions options_;
    bool dropped_ = false;
};

Status check_inventory(const UploadTarget& to, const BlockInventory& present) {
    if (present.hinders_ours()) {
        return to.refuse(ErrorCode::precondition,
                         "the blob holds " + std::to_string(present.foreign_staged().blocks) +
                             " staged blocks of another tool, whose ids have another length: the service would refuse "
                             "ours while they exist",
                         "let that upload finish, or drop its blocks with --discard-staged");
    }
    if (to.options().must_resume && present.staged().blocks == 0) {
        const auto foreign = present.foreign_staged().blocks;
        return to.refuse(ErrorCode::not_found,
                         foreign == 0
                             ? "nothing is staged: there is no interrupted upload to resume"
                             : "nothing of ours is staged, only " + format_count(foreign, "block") + " of another tool",
                         "'azlock upload' starts a new one");
    }
    return {};
}

}  // namespace

Result<UploadStart> begin_blocks(const UploadTarget& to, const Call& call) {
    if (auto fits = to.check_metadata(); !fits) return fail(fits.error());
    auto base = to.look_with_conditions(call);
    if (!base) return fail(base.error());
    UploadStart start{std::move(*base), {}};
    if (!start.base.seen) return start;
    if (!to.options().reuse && !to.options().discard_staged) return start;
    const std::string& lease_id = to.options().conditions.lease_id;
    for (bool discarded = false;; discarded = true) {
        auto present = BlockInventory::take(to.client(), to.blob(), lease_id, call);
        if (!present) return fail(present.error());
        if (present->hinders_ours() && to.options().discard_staged && !discarded) {
            if (auto dropped = discard_staged(to.client(), to.blob(), lease_id, call); !dropped) {
                return fail(dropped.error());
            }
            auto again = read_base(to.client(), to.blob(), {}, call);
            if (!again) return fail(again.error());
            if (auto allowed = to.check_fence(*again); !allowed) return fail(allowed.error());
            start.base = std::move(*again);
            continue;
        }
        if (auto ok = check_inventory(to, *present); !ok) return fail(ok.error());
        if (to.options().reuse) start.present = std::move(*present);
        return start;
    }
}

PlanTag choose_plan(const UploadOptions& options, const BlockInventory& present, std::uint64_t file_size) {
    const auto found = present.plan();
    const HashKind hash = options.hash.value_or(found ? found->hash() : HashKind::sha256);
    if (options.block_size) return PlanTag::make(CutKind::fixed, hash, *options.block_size);
    const bool adoptable = found && plan_fits(*found, file_size) && (!options.cut || *options.cut == found->cut());
    if (adoptable) return found->with(hash);
    if (options.cut == CutKind::content) return PlanTag::make(CutKind::content, hash, cut_sizes(file_size).minimum);
    return PlanTag::make(CutKind::fixed, hash, default_block_size(file_size));
}

Result<UploadReport> upload_blocks(const UploadTarget& to, UploadStart start, BlockSource& block_source,
                                   const Transfer& transfer, const CommitHooks& hooks, const Call& call) {
    const UploadOptions& options = to.options();
    StageOptions staging;
    staging.lease_id = options.conditions.lease_id;
    staging.threads = options.concurrency;
    staging.meter = transfer.meter;
    const BlockInventory before = options.skip_unchanged ? start.present : BlockInventory();
    Stager stager(to.client(), to.blob(), block_source, std::move(start.present), transfer.concurrency, staging);
    if (auto staged = stager.stage_all(call); !staged) return fail(staged.error());
    const bool stays = to.may_stay(start.base) && before.commits(stager.ids()) &&
                       before.committed().bytes == start.base.content_length;
    azure::PutBlockListOptions put;
    put.content = options.content;
    put.tags = options.tags;
    put.access_tier = options.access_tier;
    if (hooks.content_md5 && !stays) {
        auto md5 = hooks.content_md5();
        if (!md5) return fail(md5.error());
        put.content.md5 = std::move(*md5);
    }
    // Nobody reads the source any more.
    if (auto same = block_source.check_unchanged(); !same) return fail(same.error());
    if (hooks.before_commit) {
        if (auto ok = hooks.before_commit(); !ok) return fail(ok.error());
    }

    UploadReport report;
    report.unseen = !start.base.seen;
    const auto tell = [&] {
        const StageTally tally = stager.tally();
        report.bytes = tally.bytes;
        report.sent = tally.sent_bytes;
        report.blocks = tally.blocks;
        report.reused_blocks = tally.reused_blocks();
        if (!stager.ids().empty()) report.hash = stager.ids().front().plan.hash();
        return report;
    };
    if (stays) {
        report.etag = start.base.etag;
        report.unchanged = true;
        return tell();
    }

    Commit commit(to, stager, block_source, std::move(put));
    auto written = to.write_rounds(
        std::move(start.base), to.client().random().next(), call,
        [&](const Conditions& conditions, const WriteRing& ring) { return commit.run(conditions, ring, call); });
    if (!written) return fail(written.error());
    report.etag = written->etag;
    report.recognised = written->recognised;
    return tell();
}

}  // namespace azlock::ops
