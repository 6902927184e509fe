#include "ops/verify/verify.hpp"

#include <algorithm>
#include <atomic>

#include "base/text.hpp"
#include "base/worker_pool.hpp"
#include "ops/files/source_file.hpp"
#include "ops/read/download.hpp"
#include "ops/transfer/metered_body.hpp"
#include "ops/write/block_digest.hpp"

namespace azlock::ops {
namespace {

using azure::BlobAddress;
using azure::BlobClient;
using azure::Call;

constexpr int kMaxLooks = 3;

struct Blob {
    azure::BlobProperties properties;
    std::vector<BlockId> blocks;  // of the whole content, in order; empty if they are not known
};

Error of(const BlobAddress& blob, ErrorCode code, std::string message, std::string hint = {}) {
    Error error = make_error(code, std::move(message), std::move(hint));
    error.target = blob.to_string();
    return error;
}

// Reads the properties and the block list of one version.
Result<Blob> look_at(BlobClient& client, const BlobAddress& blob, const VerifyOptions& options, const Call& call) {
    for (int look = 1; look <= kMaxLooks; ++look) {
        auto head = client.get_properties(blob, options.conditions, call);
        if (!head) return fail(head.error());
        Blob out{head->properties, {}};
        if (out.properties.blob_type != "BlockBlob") return out;
        bool ours = true;
        std::uint64_t bytes = 0;
        auto listed = client.get_block_list(
            blob, azure::BlockListType::committed, options.conditions.lease_id,
            [&](const azure::Block& block) {
                const auto id = BlockId::decode(block.id);
                ours = ours && id && id->length == block.size && id->plan.known();
                bytes += block.size;
                if (ours) out.blocks.push_back(*id);
            },
            [&] {
                out.blocks.clear();
                ours = true;
                bytes = 0;
            },
            call);
        if (!listed) return fail(listed.error());
        if (!ours || bytes != out.properties.content_length) out.blocks.clear();
        if (listed->etag.empty() || listed->etag == out.properties.etag) return out;
    }
    return fail(of(blob, ErrorCode::precondition, "the blob was written again and again while azlock looked at it"));
}

class Verify final : DownloadTarget {
  public:
    Verify(BlobClient& client, const BlobAddress& blob, std::shared_ptr<const SourceFile> source,
           const VerifyOptions& options, const Call& call)
        : client_(client), blob_(blob), shared_(std::move(source)), source_(*shared_), options_(options), call_(call) {}

    Result<VerifyReport> run() {
        auto found = look_at(client_, blob_, options_, call_);
        if (!found) return fail(found.error());
        report_.file_bytes = source_.size();
        if (options_.progress != nullptr) options_.progress->total = source_.size();
        report_.blob_bytes = found->properties.content_length;
        report_.etag = found->properties.etag;
        Status done;
        if (!found->blocks.empty()) {
            done = by_block_ids(found->blocks);
        } else if (report_.file_bytes != report_.blob_bytes && !options_.download) {
            report_.proof = Proof::length;
            report_.different = BlockRange{0, std::max(report_.file_bytes, report_.blob_bytes)};
        } else if (report_.file_bytes == 0 && report_.blob_bytes == 0) {
            report_.proof = Proof::length;
        } else if (!found->properties.content.md5.empty()) {
            done = by_md5(found->properties.content.md5);
        } else if (options_.download) {
            done = by_content();
        } else {
            return fail(of(blob_, ErrorCode::precondition,
                           "the blob has neither block ids of azlock nor a stored MD5 to compare with",
                           "compare the bytes themselves with --download"));
        }
        if (!done) return fail(done.error());
        if (auto same = source_.check_unchanged(); !same) return fail(same.error());
        report_.same = !report_.different;
        return report_;
    }

  private:
    Status by_block_ids(const std::vector<BlockId>& blocks) {
        report_.proof = Proof::block_ids;
        report_.hash = blocks.front().plan.hash();
        std::vector<BlockRange> ranges;
        std::uint64_t end = 0;
        for (const BlockId& id : blocks) {
            ranges.push_back({end, id.length});
            end += id.length;
        }
        std::atomic<std::size_t> first{blocks.size()};  // index of the first block that differs
        auto status = run_parallel(options_.concurrency, blocks.size(), call_.stop,
                                   [&](std::size_t i, std::stop_token) -> Status {
                                       if (i > first) return {};
                                       const auto same = holds(ranges[i], blocks[i]);
                                       if (!same) return fail(same.error());
                                       std::size_t lowest = first;
                                       while (!*same && i < lowest && !first.compare_exchange_weak(lowest, i)) {
                                       }
                                       return {};
                                   });
        if (!status) return status;
        if (first < blocks.size()) {
            report_.different = ranges[first];
        } else if (end < source_.size()) {
            report_.different = BlockRange{end, source_.size() - end};
        }
        return {};
    }

    // Of a part of the file, which counts while it is read.
    Result<BlockDigest> digest(const BlockRange& range, HashKind hash, azure::Checksum::Kind checksum) const {
        const MeteredBody body(shared_->region(range.offset, range.length), {options_.progress}, call_);
        auto out = digest_block(body, hash, checksum);
        if (out && options_.progress != nullptr) options_.progress->sent += range.length;
        return out;
    }

    Result<bool> holds(const BlockRange& range, const BlockId& id) const {
        if (range.offset + range.length > source_.size()) return false;
        const auto sums = digest(range, id.plan.hash(), azure::Checksum::Kind::none);
        if (!sums) return fail(sums.error());
        return sums->hash == id.hash;
    }

    Status by_md5(const std::string& stored) {
        report_.proof = Proof::md5;
        const auto sums = digest({0, source_.size()}, HashKind::xxh3, azure::Checksum::Kind::md5);
        if (!sums) return fail(sums.error());
        if (sums->checksum.value == stored) return {};
        if (options_.download) {
            if (options_.progress != nullptr) options_.progress->sent -= source_.size();
            return by_content();
        }
        report_.different = BlockRange{0, report_.file_bytes};
        return {};
    }

    Status by_content() {
        report_.proof = Proof::content;
        DownloadOptions options;
        options.conditions = options_.conditions;
        options.check_md5 = false;
        options.meter.progress = options_.progress;
        auto done = download_blob(client_, blob_, *this, options, call_);
        if (!done) return fail(done.error());
        report_.blob_bytes = done->bytes;
        report_.etag = done->properties.etag;
        if (!report_.different && at_ < source_.size()) {
            report_.different = BlockRange{at_, source_.size() - at_};
        }
        return {};
    }

    // The next bytes of the blob, for by_content().
    Status write(ByteView data) override {
        const std::uint64_t from = at_;
        at_ += data.size();
        if (report_.different) return {};
        const std::uint64_t here =
            std::min<std::uint64_t>(data.size(), source_.size() - std::min(source_.size(), from));
        Bytes ours(here);
        if (auto read = source_.read(from, ours); !read) return read;
        const auto end = data.begin() + static_cast<std::ptrdiff_t>(here);
        const auto found = std::mismatch(data.begin(), end, ours.begin());
        if (found.first == end && here == data.size()) return {};
        report_.different = BlockRange{from + static_cast<std::uint64_t>(found.first - data.begin()), 1};
        return {};
    }
    bool restart() override {
        at_ = 0;
        report_.different.reset();
        return true;
    }

    BlobClient& client_;
    const BlobAddress& blob_;
    std::shared_ptr<const SourceFile> shared_;
    const SourceFile& source_;
    const VerifyOptions& options_;
    const Call& call_;
    VerifyReport report_;
    std::uint64_t at_ = 0;  // how much of the blob was compared
};

std::string difference_text(const VerifyReport& report) {
    std::string out =
        "the file has " + std::to_string(report.file_bytes) + " bytes, the blob " + std::to_string(report.blob_bytes);
    const BlockRange& range = *report.different;
    if (report.proof == Proof::length) return out + "; --download finds where they differ";
    if (report.proof == Proof::md5) return out + "; their MD5 differ; --download finds where";
    if (range.length <= 1) return out + "; they differ from byte " + std::to_string(range.offset) + " on";
    return out + "; they differ first within bytes " + std::to_string(range.offset) + " to " +
           std::to_string(range.offset + range.length - 1);
}

}  // namespace

std::string_view to_string(Proof proof) {
    switch (proof) {
        case Proof::block_ids: return "block-ids";
        case Proof::md5: return "md5";
        case Proof::content: return "content";
        case Proof::length: return "length";
    }
    return "length";
}

std::string describe_proof(const VerifyReport& report) {
    switch (report.proof) {
        case Proof::block_ids:
            return "by the " + std::string(to_string(*report.hash)) + " of its blocks, without downloading";
        case Proof::md5: return "by its stored MD5, without downloading";
        case Proof::content: return "byte by byte, downloaded";
        case Proof::length: return "by its length";
    }
    return {};
}

Status check_same(const VerifyReport& report, const BlobAddress& blob, const std::string& path) {
    if (report.same) return {};
    return fail(of(blob, ErrorCode::data,
                   "is not " + in_quotes(path) + ", " + describe_proof(report) + ": " + difference_text(report)));
}

Result<VerifyReport> verify_file(BlobClient& client, const BlobAddress& blob, const std::string& path,
                                 const VerifyOptions& options, const Call& call) {
    auto source = SourceFile::open(path);
    if (!source) return fail(source.error());
    return Verify(client, blob, std::move(*source), options, call).run();
}

}  // namespace azlock::ops
