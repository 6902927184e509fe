#include "base/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <limits>
#include <optional>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/part_file.hpp"

namespace azlock {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's own limit

// The folder of `path`, with its slash: "a/b" -> "a/", "b" -> "".
std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

std::string or_here(const std::string& folder) {
    return folder.empty() ? "." : folder;
}

bool on_procfs(const std::string& path) {
    struct statfs info {};
    return statfs(or_here(folder_of(path)).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// Follows the links of the last component, even if their target does not exist yet. nullopt, with errno set: this
// failed. "": a link under /proc/N/fd, whose text is not a path.
std::optional<std::string> follow_links(std::string path) {
    for (int i = 0; i < kMaxLinks; ++i) {
        struct stat info {};
        if (lstat(path.c_str(), &info) != 0) {
            if (errno != ENOENT) return std::nullopt;
            return path;
        }
        if (!S_ISLNK(info.st_mode)) return path;
        if (on_procfs(path)) return std::string();
        std::array<char, PATH_MAX> target{};
        const ssize_t n = readlink(path.c_str(), target.data(), target.size());
        if (n < 0) return std::nullopt;
        const std::string_view text(target.data(), static_cast<std::size_t>(n));
        path.resize(text.starts_with('/') ? 0 : folder_of(path).size());
        path += text;
    }
    errno = ELOOP;
    return std::nullopt;
}

// If the new file cannot get the old group, its own group must not get the rights of the old group.
mode_t replaced_mode(int fd, const struct stat& old) {
    mode_t mode = old.st_mode & 0777U;
    if (fchown(fd, old.st_uid, old.st_gid) != 0 && fchown(fd, static_cast<uid_t>(-1), old.st_gid) != 0) {
        mode &= 0707U | ((mode & 07U) << 3U);
    }
    return mode;
}

bool cannot_sync(int errno_value) {
    return errno_value == EINVAL || errno_value == ENOTSUP || errno_value == EROFS;
}

}  // namespace

Error AtomicFile::error(std::string_view action, int errno_value) const {
    return file_error(ErrorCode::io, action, path_, errno_value);
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
    AtomicFile file;
    file.path_ = path;
    if (path.empty() || path.find('\0') != std::string::npos) return fail(file.error("create", ENOENT));
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (!exists && errno != ENOENT) return fail(file.error("create", errno));
    if (exists ? S_ISDIR(info.st_mode) : path.back() == '/') return fail(file.error("write", EISDIR));
    if (exists && !S_ISREG(info.st_mode)) {
        if (auto opened = file.open_in_place(); !opened) return fail(opened.error());
        return file;
    }
    if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return fail(file.error("write", errno));
    const auto target = follow_links(path);
    if (!target) return fail(file.error("create", errno));
    file.final_ = *target;
    // Only the owner can open a replacement until it gets the mode of the old file.
    const Status opened = file.final_.empty() ? file.open_in_place() : file.open_temporary(exists ? 0600 : 0666);
    if (!opened) return fail(opened.error());
    if (exists && !file.in_place_ && fchmod(file.fd_.get(), replaced_mode(file.fd_.get(), info)) != 0) {
        return fail(file.error("set the mode of", errno));
    }
    return file;
}

Status AtomicFile::open_in_place() {
    in_place_ = true;
    do {
        fd_.reset(::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
    } while (!fd_ && errno == EINTR);
    if (!fd_) return fail(error("open", errno));
    random_access_ = ::lseek(fd_.get(), 0, SEEK_CUR) >= 0;
    return {};
}

Status AtomicFile::open_temporary(unsigned mode) {
    auto made = make_part_file(folder_of(final_), mode, path_);
    if (!made) return fail(made.error());
    fd_ = std::move(made->fd);
    temporary_ = std::move(made->path);
    return {};
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    if (this == &other) return *this;
    discard();
    path_ = std::move(other.path_);
    final_ = std::move(other.final_);
    temporary_ = std::exchange(other.temporary_, {});
    fd_ = std::move(other.fd_);
    position_ = other.position_;
    random_access_ = other.random_access_;
    in_place_ = other.in_place_;
    return *this;
}

Status AtomicFile::write_at(std::uint64_t offset, ByteView data) {
    if (!fd_) return fail(ErrorCode::internal, "write to a file that is closed");
    if (random_access_) return write_full_at(fd_.get(), offset, data, path_);
    if (offset != position_) return fail(error("seek in", ESPIPE));
    if (auto written = write_full(fd_.get(), data, path_); !written) return written;
    position_ += data.size();
    return {};
}

void AtomicFile::set_modified(std::int64_t seconds) const noexcept {
    const timespec times[2] = {{0, UTIME_OMIT}, {seconds, 0}};
    (void)::futimens(fd_.get(), times);
}

Status AtomicFile::reserve(std::uint64_t size) {
    if (in_place_ || size == 0) return {};
    if (size > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return fail(error("write", EFBIG));
    while (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0) {
        if (errno == EINTR) continue;
        if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return fail(error("write", errno));
        break;  // the file system cannot reserve
    }
    return {};
}

Status AtomicFile::resize(std::uint64_t size) {
    if (!fd_) return fail(ErrorCode::internal, "resize of a file that is closed");
    if (size > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return fail(error("resize", EFBIG));
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return fail(error("resize", errno));
    return {};
}

Status AtomicFile::commit() {
    if (!fd_) return fail(ErrorCode::internal, "commit of a file that is closed");
    if (::fsync(fd_.get()) != 0 && !cannot_sync(errno)) return fail(error("write", errno));
    // A part file without a lock could be swept before it has its name.
    const Fd locked(in_place_ ? -1 : ::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
    // Network file systems report a full disk here at the latest. On Linux the file is closed even after EINTR.
    if (::close(fd_.release()) != 0 && errno != EINTR) return fail(error("write", errno));
    if (in_place_) return {};
    if (::rename(temporary_.c_str(), final_.c_str()) != 0) {
        const int reason = errno;
        discard();
        return fail(error("replace", reason));
    }
    temporary_.clear();
    const Fd folder(::open(or_here(folder_of(final_)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A directory that we may write but not read cannot be flushed.
    if (folder && ::fsync(folder.get()) != 0 && !cannot_sync(errno))
        return fail(error("flush the directory of", errno));
    return {};
}

void AtomicFile::discard() noexcept {
    fd_.reset();
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
}

Status replace_file(const std::string& path, std::string_view text) {
    auto file = AtomicFile::create(path);
    if (!file) return fail(file.error());
    if (auto ok = file->write_at(0, as_bytes(text)); !ok) return ok;
    return file->commit();
}

}  // namespace azlock
