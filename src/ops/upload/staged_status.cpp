#include "ops/upload/staged_status.hpp"

#include "ops/upload/stager.hpp"
#include "ops/upload/upload_blocks.hpp"

namespace azlock::ops {

Result<StagedStatus> staged_status(azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& path,
                                   const UploadOptions& options, const azure::Call& call, Progress* progress) {
    auto source = SourceFile::open(path);
    if (!source) return fail(source.error());
    auto present = BlockInventory::take(client, blob, options.conditions.lease_id, call);
    if (!present) return fail(present.error());
    StagedStatus status{present->staged(), present->foreign_staged(), {}, {}};
    if (status.staged.blocks + status.foreign.blocks == 0) {
        Error error = make_error(ErrorCode::not_found, "nothing is staged: there is no interrupted upload to resume");
        error.target = blob.to_string();
        return fail(std::move(error));
    }
    auto block_source = make_file_blocks(*source, choose_plan(options, *present, (*source)->size()));
    if (!block_source) return fail(block_source.error());
    ConcurrencyLimit concurrency(options.concurrency);
    StageOptions only_look;
    only_look.threads = options.concurrency;
    only_look.send = false;
    only_look.meter.progress = progress;
    if (progress != nullptr) progress->total = (*source)->size();
    Stager stager(client, blob, **block_source, std::move(*present), concurrency, only_look);
    if (auto looked = stager.stage_all(call); !looked) return fail(looked.error());
    const StageTally tally = stager.tally();
    status.file = {tally.blocks, tally.bytes};
    status.present = {tally.reused_blocks(), tally.bytes - tally.sent_bytes};
    return status;
}

}  // namespace azlock::ops
