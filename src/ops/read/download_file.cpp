#include "ops/read/download_file.hpp"

#include <filesystem>

#include "base/part_file.hpp"
#include "ops/read/etag_file.hpp"
#include "ops/transfer/transfer.hpp"

namespace azlock::ops {
namespace {

namespace fs = std::filesystem;

class FileTarget final : public DownloadTarget {
  public:
    explicit FileTarget(AtomicFile& file) : file_(file) {}
    [[nodiscard]] Status expect(std::uint64_t bytes) override { return file_.reserve(bytes); }
    [[nodiscard]] Status write(ByteView data) override {
        if (auto ok = file_.write_at(position_, data); !ok) return ok;
        position_ += data.size();
        return {};
    }
    [[nodiscard]] bool restart() override {
        if (position_ > 0 && (!file_.random_access() || !file_.resize(0))) return false;
        position_ = 0;
        return true;
    }

  private:
    AtomicFile& file_;
    std::uint64_t position_ = 0;
};

Result<std::string> local_path(const std::string& file, const std::string& blob) {
    std::error_code ignored;
    if (!file.empty() && !fs::is_directory(file, ignored)) return file;
    const std::string name = blob.substr(blob.find_last_of('/') + 1);
    if (name.empty() || name == "." || name == ".." || name == "-") {
        return fail(ErrorCode::usage, "the blob's name cannot be a file name", "give the FILE to write");
    }
    if (file.empty()) return "./" + name;
    return file + (file.ends_with('/') ? "" : "/") + name;
}

Status download_to_stream(azure::BlobClient& client, const azure::BlobAddress& blob, DownloadTarget& target,
                          const std::string& etag_file, const DownloadOptions& options, const azure::Call& call) {
    if (auto ok = check_memory(options.memory); !ok) return ok;
    const auto report = download_blob(client, blob, target, options, call);
    if (!report) return fail(report.error());
    return etag_file.empty() ? Status() : save_etag_file(etag_file, report->properties.etag);
}

}  // namespace

Result<FileDownload> download_to_file(azure::BlobClient& client, const azure::BlobAddress& blob,
                                      const std::string& file, const std::string& etag_file, DownloadOptions options,
                                      const azure::Call& call) {
    if (auto ok = check_memory(options.memory); !ok) return fail(ok.error());
    const auto path = local_path(file, blob.blob);
    if (!path) return fail(path.error());
    const std::string seen = options.conditions.if_none_match;
    if (!etag_file.empty()) {
        std::error_code ignored;
        if (*path == etag_file || fs::equivalent(*path, etag_file, ignored)) {
            return fail(ErrorCode::usage, "--etag-file names the file that the content is written to");
        }
        if (fs::status(*path, ignored).type() == fs::file_type::not_found) options.conditions.if_none_match.clear();
    }
    sweep_part_files(path->substr(0, path->rfind('/') + 1));
    auto content = AtomicFile::create(*path);
    if (!content) return fail(content.error());
    FileTarget target(*content);
    auto report = download_blob(client, blob, target, options, call);
    if (!report) return fail(report.error());
    if (etag_file.empty()) {
        if (auto kept = content->commit(); !kept) return fail(kept.error());
        return FileDownload{*path, std::move(*report)};
    }
    const CopyVersion version{report->properties.etag, report->properties.last_modified};
    auto later = commit_with_etag(*content, etag_file, version, seen);
    if (!later) return fail(later.error());
    return FileDownload{*path, std::move(*report), std::move(*later)};
}

Result<std::optional<FileDownload>> download_as_asked(azure::BlobClient& client, const azure::BlobAddress& blob,
                                                      const std::string& file, const std::string& etag_file,
                                                      DownloadTarget& standard_output, const DownloadOptions& options,
                                                      const azure::Call& call) {
    if (file != "-") return download_to_file(client, blob, file, etag_file, options, call);
    const auto done = download_to_stream(client, blob, standard_output, etag_file, options, call);
    return done ? Result<std::optional<FileDownload>>(std::nullopt) : fail(done.error());
}

}  // namespace azlock::ops
