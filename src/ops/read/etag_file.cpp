#include "ops/read/etag_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>

#include "base/locked_file.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestEtag = 1024;

bool is_etag(std::string_view text) {
    const auto allowed = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; };
    return text.size() <= kLongestEtag && std::all_of(text.begin(), text.end(), allowed);
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

// `content`: committed between the writing of the ETag and its commit; null: nothing.
Status save(const std::string& path, const std::string& etag, AtomicFile* content) {
    const auto alone = lock(path);
    if (!alone) return fail(alone.error());
    auto file = AtomicFile::create(path);
    if (!file) return fail(file.error());
    if (auto ok = file->write_at(0, as_bytes(etag.empty() ? "" : etag + "\n")); !ok) return ok;
    if (auto ok = content != nullptr ? content->commit() : Status(); !ok) return ok;
    return file->commit();
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
    return save(path, etag, nullptr);
}

Status commit_with_etag(AtomicFile& content, const std::string& path, const std::string& etag) {
    return save(path, etag, &content);
}

}  // namespace azlock::ops
