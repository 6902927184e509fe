#include "ops/read/etag_file.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/locked_file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestEtag = 1024;

bool is_etag(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x21 || c == 0x7F) return false;
    }
    return text.size() <= kLongestEtag;
}

// Locks the file and creates it if it is missing; only the holder may replace it. The lock is not of the kind of
// flock(1), so that `flock FILE azlock ...` does not wait for itself. If the file system has no locks, nobody is kept
// out.
Result<Fd> lock(const std::string& path) {
    const auto open = [&]() -> Result<Fd> {
        Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
        if (!fd) return fail(file_error(ErrorCode::io, "open", path, errno));
        return fd;
    };
    return open_locked(path, open, [](int fd) -> Status {
        struct flock whole {};
        whole.l_type = F_WRLCK;
        whole.l_whence = SEEK_SET;
        while (::fcntl(fd, F_OFD_SETLKW, &whole) != 0 && errno == EINTR) {
        }
        return {};
    });
}

Result<AtomicFile> write_etag(const std::string& path, const std::string& etag) {
    auto file = AtomicFile::create(path);
    if (!file || etag.empty()) return file;
    if (auto ok = file->write_at(0, as_bytes(etag + "\n")); !ok) return fail(ok.error());
    return file;
}

}  // namespace

Result<std::string> read_etag_file(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd && errno == ENOENT) return std::string();
    if (!fd) return fail(file_error(ErrorCode::input_missing, "read", path, errno));
    std::array<char, kLongestEtag + 8> buffer{};
    const auto got = read_full(fd.get(), std::as_writable_bytes(std::span(buffer)), path);
    if (!got) {
        Error error = got.error();
        error.code = ErrorCode::input_missing;
        return fail(std::move(error));
    }
    const std::string_view text = trim({buffer.data(), *got});
    if (!is_etag(text)) {
        Error error = make_error(ErrorCode::data, "the file holds no ETag", "remove it, or name another --etag-file");
        error.target = path;
        return fail(std::move(error));
    }
    return std::string(text);
}

Status save_etag_file(const std::string& path, const std::string& etag) {
    const auto alone = lock(path);
    if (!alone) return fail(alone.error());
    auto file = write_etag(path, etag);
    return file ? file->commit() : Status(fail(file.error()));
}

Status commit_with_etag(AtomicFile& content, const std::string& path, const std::string& etag) {
    const auto alone = lock(path);
    if (!alone) return fail(alone.error());
    auto file = write_etag(path, etag);
    if (!file) return fail(file.error());
    if (auto ok = content.commit(); !ok) return ok;
    return file->commit();
}

}  // namespace azlock::ops
