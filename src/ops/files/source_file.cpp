#include "ops/files/source_file.hpp"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

class FileRegion final : public http::Body {
  public:
    FileRegion(std::shared_ptr<const SourceFile> file, std::uint64_t offset, std::uint64_t length)
        : file_(std::move(file)), offset_(offset), length_(length) {}
    [[nodiscard]] std::uint64_t size() const override { return length_; }
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t at, std::span<std::byte> out) const override {
        if (at >= length_) return std::size_t{0};
        const std::size_t n = std::min<std::uint64_t>(out.size(), length_ - at);
        if (auto ok = file_->read(offset_ + at, out.first(n)); !ok) return fail(ok.error());
        return n;
    }

    [[nodiscard]] std::optional<FilePart> file_part() const override { return FilePart{file_->descriptor(), offset_}; }

  private:
    std::shared_ptr<const SourceFile> file_;
    std::uint64_t offset_;
    std::uint64_t length_;
};

Error no_regular_file(const std::string& path) {
    return make_error(ErrorCode::usage, in_quotes(path) + " is not a regular file");
}

Result<Fd> open_named(const std::string& path) {
    // Opening a pipe would wait for its writer.
    std::error_code ignored;
    const auto kind = std::filesystem::status(path, ignored).type();
    if (kind == std::filesystem::file_type::fifo || kind == std::filesystem::file_type::socket) {
        return fail(no_regular_file(path));
    }
    return open_input(path);
}

}  // namespace

Result<std::shared_ptr<const SourceFile>> SourceFile::open(const std::string& path,
                                                           const std::optional<WalkedFile>& walked) {
    auto fd = walked ? open_walked(path, *walked) : open_named(path);
    if (!fd) return fail(fd.error());
    const auto identity = identify(fd->get(), path);
    if (!identity) return fail(identity.error());
    if (!identity->regular) return fail(no_regular_file(path));
    std::byte beyond{};
    const auto got = read_full_at(fd->get(), identity->size, std::span(&beyond, 1), path);
    if (!got) return fail(got.error());
    if (*got != 0) {
        const auto present = identify(fd->get(), path);
        if (present && *present != *identity) return fail(SourceFile(path, std::move(*fd), *identity).changed());
        return fail(ErrorCode::usage, in_quotes(path) + " is longer than its size says");
    }
    posix_fadvise(fd->get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    return std::shared_ptr<const SourceFile>(new SourceFile(path, std::move(*fd), *identity));
}

Error SourceFile::changed() const {
    Error error = make_error(ErrorCode::data, "'" + path_ + "' changed while it was read; nothing was committed",
                             "run the command again when nothing writes to it");
    error.target = path_;
    return error;
}

Status SourceFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    const auto got = read_full_at(fd_.get(), offset, out, path_);
    if (!got) return fail(got.error());
    if (*got != out.size()) return fail(changed());
    return {};
}

Status SourceFile::check_unchanged() const {
    const auto present = identify(fd_.get(), path_);
    if (!present) return fail(present.error());
    FileIdentity as_opened = *present;
    as_opened.ctime_ns = identity_.ctime_ns;
    if (as_opened != identity_) return fail(changed());
    const bool explained = present->ctime_ns == identity_.ctime_ns || labels(fd_.get(), path_) != labels_;
    return explained ? Status() : Status(fail(changed()));
}

SourceFile::Labels SourceFile::labels(int fd, const std::string& path) {
    struct stat file {};
    struct stat named {};
    if (fstat(fd, &file) != 0) return {};
    const bool there = ::stat(path.c_str(), &named) == 0;
    return {file.st_mode, file.st_uid, file.st_gid, file.st_nlink,
            there && named.st_dev == file.st_dev && named.st_ino == file.st_ino};
}

std::shared_ptr<const http::Body> SourceFile::region(std::uint64_t offset, std::uint64_t length) const {
    return std::make_shared<FileRegion>(shared_from_this(), offset, length);
}

}  // namespace azlock::ops
