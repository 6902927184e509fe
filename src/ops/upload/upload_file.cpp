#include "ops/upload/upload_file.hpp"

#include <filesystem>
#include <thread>

#include "azure/names.hpp"
#include "base/text.hpp"
#include "ops/upload/content_cut.hpp"
#include "ops/upload/put_blob.hpp"

namespace azlock::ops {
namespace {

// Computes the MD5 of a whole file in a thread of its own, while other threads stage its blocks.
class FileMd5 {
  public:
    // `compared`: counts what was read, or null.
    FileMd5(std::shared_ptr<const SourceFile> source, std::stop_token stop, Count* compared)
        : source_(std::move(source)), stop_(std::move(stop)), compared_(compared) {
        thread_ = std::jthread([this](const std::stop_token& unwanted) { read(unwanted); });
    }
    // Error: cancelled, or that of the source. Whoever uses the result must then look if the source has changed.
    Result<std::string> wait() {
        thread_.join();
        if (!result_) return fail(result_.error());
        if (stop_.stop_requested()) return fail(stopped_by_signal());
        return base64_encode(sum_.finish());
    }

  private:
    void read(const std::stop_token& unwanted) {
        std::vector<std::byte> buffer(256 * 1024);
        for (std::uint64_t at = 0; at < source_->size() && result_;) {
            if (unwanted.stop_requested() || stop_.stop_requested()) return;
            const auto part = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), source_->size() - at));
            result_ = source_->read(at, part);
            if (result_) sum_.update(part);
            at += part.size();
            if (compared_ != nullptr) *compared_ += part.size();
        }
    }

    std::shared_ptr<const SourceFile> source_;
    std::stop_token stop_;
    Count* compared_;
    Status result_;
    Md5 sum_;
    std::jthread thread_;  // the last member, because the thread uses the others
};

// Only the stored MD5 can prove the content of a blob that another tool wrote.
Result<bool> has_same_md5(const UploadStart& start, const std::shared_ptr<const SourceFile>& source, Progress* progress,
                          const std::stop_token& stop) {
    const BlobBase& base = start.base;
    if (base.content_length != source->size() || base.content_md5.empty() || start.present.plan()) {
        return false;
    }
    auto md5 = FileMd5(source, stop, progress == nullptr ? nullptr : &progress->compared).wait();
    if (!md5) return fail(md5.error());
    if (auto same = source->check_unchanged(); !same) return fail(same.error());
    return *md5 == base.content_md5;
}

Result<UploadReport> upload_large(const UploadTarget& to, std::shared_ptr<const SourceFile> source,
                                  const Transfer& transfer, bool with_md5, const azure::Call& call) {
    auto start = begin_blocks(to, call);
    if (!start) return fail(start.error());
    if (to.may_stay(start->base)) {
        const auto same = has_same_md5(*start, source, transfer.meter.progress, call.stop);
        if (!same) return fail(same.error());
        if (*same) {
            UploadReport report;
            report.etag = start->base.etag;
            report.bytes = source->size();
            report.unchanged = true;
            if (transfer.meter.progress != nullptr) transfer.meter.progress->reused += report.bytes;
            return report;
        }
    }
    auto block_source =
        make_file_blocks(source, choose_plan(to.options(), start->present, source->size()), !to.options().block_size);
    if (!block_source) return fail(block_source.error());
    CommitHooks hooks;
    std::optional<FileMd5> md5;
    if (with_md5) {
        md5.emplace(source, call.stop, nullptr);
        hooks.content_md5 = [&] { return md5->wait(); };
    }
    return upload_blocks(to, std::move(*start), **block_source, transfer, hooks, call);
}

}  // namespace

std::uint64_t largest_put(const UploadOptions& options, std::uint64_t file_size) {
    if (options.block_size) return *options.block_size;
    if (options.cut == CutKind::content) return cut_sizes(file_size).minimum;
    return default_block_size(file_size);
}

Result<UploadReport> upload_file(azure::BlobClient& client, const azure::BlobAddress& blob, const std::string& path,
                                 const UploadOptions& options, const Transfer& transfer, const azure::Call& call,
                                 const std::optional<WalkedFile>& walked) {
    auto source = SourceFile::open(path, walked);
    if (!source) {
        Error error = source.error();
        if (error.code == ErrorCode::usage) error.hint = "its content can be piped in: azlock upload - DEST < FILE";
        return fail(std::move(error));
    }
    if (options.block_size) {
        if (auto ok = check_block_size(*options.block_size); !ok) return fail(ok.error());
        auto fits = make_file_blocks(*source, PlanTag::make(CutKind::fixed, HashKind::sha256, *options.block_size));
        if (!fits) return fail(fits.error());
    }
    const UploadTarget to(client, blob, options);
    const std::uint64_t size = (*source)->size();
    if (options.must_resume || size > largest_put(options, size)) {
        return to.accept_existing(upload_large(to, *source, transfer, options.put_md5, call), call);
    }
    const bool divisible = !options.block_size && size > ConcurrencyLimit::kSmallestPiece;
    auto pass = transfer.concurrency.enter(call.stop);
    if (!pass) return fail(stopped_by_signal());
    if (!divisible || transfer.concurrency.piece() >= size) {
        const BootTime start = client.clock().now();
        auto put = put_blob(
            to, (*source)->region(0, size), [&] { return (*source)->check_unchanged(); }, transfer.meter, call,
            divisible ? ConcurrencyLimit::kLongestSend : std::chrono::seconds(0));
        const bool too_slow = divisible && !put && put.error().fault == TransportFault::timeout &&
                              !put.error().may_have_applied && call.deadline > client.clock().now();
        if (put) transfer.concurrency.carried(size, client.clock().now() - start, true);
        if (!too_slow) return to.accept_existing(std::move(put), call);
        transfer.concurrency.line_is_slow();
    }
    pass.reset();
    // In pieces, a killed run keeps what it has sent. Put Blob would have stored the MD5.
    return to.accept_existing(upload_large(to, *source, transfer, true, call), call);
}

Status name_blob(const std::string& path, azure::BlobAddress& address) {
    if (!address.blob.empty() && !address.blob.ends_with('/')) return {};
    const std::string name = std::filesystem::path(path).filename().string();
    if (name.empty()) return fail(ErrorCode::usage, in_quotes(path) + " has no name to give to the blob");
    address.blob += name;
    return azure::check_blob_name(address.blob);
}

}  // namespace azlock::ops
