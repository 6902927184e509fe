#include "ops/upload/upload_stream.hpp"

#include "base/quantity.hpp"
#include "ops/upload/block_plan.hpp"
#include "ops/upload/put_blob.hpp"
#include "ops/upload/stream_blocks.hpp"

namespace azlock::ops {
namespace {

// Bytes. Besides our buffers, each transfer needs buffers of the transport.
constexpr std::uint64_t kTransferShare = 512 * 1024;

Result<StreamPlan> plan_of(const StreamSource& source, const UploadOptions& options) {
    StreamPlan plan;
    plan.block_size = options.block_size.value_or(default_block_size(source.expect_size.value_or(0)));
    plan.grows = !options.block_size;
    plan.hash = options.hash.value_or(HashKind::sha256);
    plan.sha256 = source.expect_sha256.has_value();
    plan.md5 = options.put_md5;
    if (auto ok = check_block_size(plan.block_size); !ok) return fail(ok.error());
    const std::uint64_t largest = plan.block_size * kMaxBlocks;
    if (source.expect_size.value_or(0) > largest) {
        return fail(ErrorCode::usage, "--expect-size: the largest blob has " + format_bytes(largest) +
                                          (options.block_size ? " with this --block-size" : ""));
    }
    const std::uint64_t buffers = source.memory / (plan.block_size + kTransferShare);
    if (buffers == 0) {
        return fail(ErrorCode::usage,
                    "a block of " + std::to_string(plan.block_size) + " bytes does not fit into the memory allowed",
                    "allow more with --memory SIZE");
    }
    plan.memory = buffers * plan.block_size;
    return plan;
}

Error not_as_expected(const StreamSource& source, const std::string& what) {
    Error error = make_error(ErrorCode::data, what + "; nothing was committed");
    error.target = source.name;
    return error;
}

Status check_expectations(const StreamSource& source, StreamBlocks& block_source) {
    if (source.producer_ended) {
        if (auto ok = source.producer_ended(); !ok) return ok;
    }
    if (source.expect_size && *source.expect_size != block_source.size()) {
        return fail(not_as_expected(source, "the input has " + std::to_string(block_source.size()) + " bytes, not " +
                                                std::to_string(*source.expect_size)));
    }
    if (source.expect_sha256) {
        const Sha256Sum found = block_source.sha256();
        if (found != *source.expect_sha256) {
            return fail(not_as_expected(
                source, "the input's SHA-256 is " + hex_encode(found) + ", not " + hex_encode(*source.expect_sha256)));
        }
    }
    return {};
}

}  // namespace

Status check_stream(const StreamSource& source, const UploadOptions& options) {
    const auto plan = plan_of(source, options);
    return plan ? Status() : fail(plan.error());
}

Result<UploadReport> upload_stream(azure::BlobClient& client, const azure::BlobAddress& blob,
                                   const StreamSource& source, const UploadOptions& options, const Transfer& transfer,
                                   const azure::Call& call) {
    const auto plan = plan_of(source, options);
    if (!plan) return fail(plan.error());
    StreamBlocks block_source(source.fd, source.name, *plan);
    const auto check = [&] { return check_expectations(source, block_source); };
    const UploadTarget to(client, blob, options);
    auto whole = block_source.whole(call.stop);
    if (!whole) return fail(whole.error());
    if (*whole) {
        if (auto ok = check(); !ok) return fail(ok.error());
        auto put = put_blob(
            to, (*whole)->body, [] { return Status(); }, transfer.meter, call);
        return to.accept_existing(std::move(put), call);
    }
    auto start = begin_blocks(to, call);
    if (!start) return to.accept_existing(fail(start.error()), call);
    CommitHooks hooks;
    hooks.before_commit = check;
    if (options.put_md5) hooks.content_md5 = [&] { return Result<std::string>(base64_encode(block_source.md5())); };
    return to.accept_existing(upload_blocks(to, std::move(*start), block_source, transfer, hooks, call), call);
}

}  // namespace azlock::ops
