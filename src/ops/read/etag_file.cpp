#include "ops/read/etag_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/http_date.hpp"
#include "base/locked_file.hpp"
#include "base/text.hpp"
#include "base/trusted_link.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestEtag = 1024;

bool is_etag(std::string_view text) {
    const auto allowed = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; };
    return text.size() <= kLongestEtag && std::all_of(text.begin(), text.end(), allowed);
}

Error cannot_open(ErrorCode code, const char* action, const std::string& path, int why) {
    Error error = file_error(code, action, path, why);
    if (why != ELOOP || link_is_trusted(path)) return error;
    error.message = "the ETag file " + in_quotes(path) + " is a symbolic link of another user";
    error.hint = "azlock does not follow it; name a file in a folder that only you can write";
    return error;
}

// Locks the file and creates it if it is missing; only the holder may replace it. The lock is not of the kind of
// flock(1), so that `flock FILE azlock ...` does not wait for itself. If the file system has no locks, nobody is kept
// out.
Result<Fd> lock(const std::string& path) {
    const auto open = [&]() -> Result<Fd> {
        Fd fd = open_trusted(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
        if (!fd) return fail(cannot_open(ErrorCode::io, "open", path, errno));
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

// The number in an ETag of the service, which grows with each version: "0x8DB0A3294C32200".
std::optional<std::uint64_t> number_of(std::string_view etag) {
    if (!etag.starts_with("\"0x") || !etag.ends_with('"') || etag.size() < 5) return std::nullopt;
    const char* end = etag.data() + etag.size() - 1;
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(etag.data() + 3, end, number, 16);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> seconds_of(const std::string& http_date) {
    const auto time = parse_http_date(http_date);
    if (!time) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
}

// `theirs`: the ETag in the locked file.
bool is_later(const std::string& theirs, int file, const CopyVersion& ours) {
    struct stat info {};
    const auto mine = seconds_of(ours.last_modified);
    if (!mine || ::fstat(file, &info) != 0) return false;
    if (info.st_mtim.tv_sec != *mine) return info.st_mtim.tv_sec > *mine;
    const auto their_number = number_of(theirs);
    const auto our_number = number_of(ours.etag);
    return their_number && our_number && *their_number > *our_number;
}

Error no_etag(const std::string& path, const char* why) {
    Error error = make_error(ErrorCode::data, why, "remove it, or name another --etag-file");
    error.target = path;
    return error;
}

Status write(AtomicFile& file, const std::string& etag) {
    return file.write_at(0, as_bytes(etag.empty() ? "" : etag + "\n"));
}

}  // namespace

Result<std::string> read_etag_file(const std::string& path) {
    const Fd fd = open_trusted(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (!fd && errno == ENOENT) return std::string();
    if (!fd) return fail(cannot_open(ErrorCode::input_missing, "read", path, errno));
    if (is_fifo_or_device(fd.get())) return fail(no_etag(path, "the ETag file is a FIFO or a device"));
    std::array<char, kLongestEtag + 8> buffer{};
    const auto got = read_full(fd.get(), std::as_writable_bytes(std::span(buffer)), path);
    if (!got) {
        Error error = got.error();
        error.code = ErrorCode::input_missing;
        return fail(std::move(error));
    }
    const std::string_view text = trim({buffer.data(), *got});
    if (!is_etag(text)) {
        return fail(no_etag(path, "the file holds no ETag"));
    }
    return std::string(text);
}

Status take_etag_file(const std::string& path, azure::Conditions& conditions) {
    if (conditions.if_none_match == "*") {
        return fail(ErrorCode::usage, "--if-none-match '*' does not go with a read", "give the ETag that you know");
    }
    if (path.empty()) return {};
    if (!conditions.if_none_match.empty()) {
        return fail(ErrorCode::usage, "--etag-file does not go with --if-none-match: the file holds that ETag");
    }
    auto etag = read_etag_file(path);
    if (!etag) return fail(etag.error());
    conditions.if_none_match = std::move(*etag);
    return {};
}

Status save_etag_file(const std::string& path, const std::string& etag) {
    const auto alone = lock(path);
    if (!alone) return fail(alone.error());
    auto file = AtomicFile::create(path);
    if (!file) return fail(file.error());
    if (auto ok = write(*file, etag); !ok) return ok;
    return file->commit();
}

Result<std::string> commit_with_etag(AtomicFile& content, const std::string& path, const CopyVersion& version,
                                     const std::string& seen) {
    const auto alone = lock(path);
    if (!alone) return fail(alone.error());
    const auto theirs = read_etag_file(path);
    const bool changed = theirs && !theirs->empty() && *theirs != seen && *theirs != version.etag;
    if (changed && ::access(content.path().c_str(), F_OK) == 0 && is_later(*theirs, alone->get(), version)) {
        return *theirs;
    }
    auto file = AtomicFile::create(path);
    if (!file) return fail(file.error());
    if (auto ok = write(*file, version.etag); !ok) return fail(ok.error());
    // Before the file gets its name: then others can lock it.
    if (const auto seconds = seconds_of(version.last_modified)) file->set_modified(*seconds);
    if (auto ok = content.commit(); !ok) return fail(ok.error());
    if (auto ok = file->commit(); !ok) return fail(ok.error());
    return std::string();
}

}  // namespace azlock::ops
