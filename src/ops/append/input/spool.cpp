#include "ops/append/input/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc64.hpp"
#include "base/digest.hpp"
#include "base/locked_file.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/trusted_link.hpp"

namespace azlock::ops {
namespace {

// Bytes. Space is given back to the file system in pieces of at least this size.
constexpr std::uint64_t kReclaim = std::uint64_t{1} << 20U;

Error foreign(const std::string& path, const std::string& what) {
    Error error = make_error(ErrorCode::io, "the spool " + in_quotes(path) + " " + what,
                             "name a --spool-dir in a folder that only you can write");
    error.target = path;
    return error;
}

// Somebody else could have put a file there, to read the input or to have other bytes sent.
Status check_owner(int fd, const std::string& path) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return fail(file_error(ErrorCode::io, "look at the spool", path, errno));
    if (!S_ISREG(info.st_mode)) return fail(foreign(path, "is not a regular file"));
    if (info.st_uid != ::geteuid()) return fail(foreign(path, "belongs to another user"));
    if (info.st_nlink > 1) return fail(foreign(path, "is also known under another name (a hard link)"));
    return {};
}

std::string file_name(const std::string& destination) {
    return "append-" + hex_encode(sha256(as_bytes(destination))).substr(0, 16) + ".spool";
}

Result<Fd> open_spool(const std::string& path) {
    const auto open = [&]() -> Result<Fd> {
        Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW, 0600));
        if (!fd && errno == ELOOP) return fail(foreign(path, "is a symbolic link"));
        if (!fd) return fail(file_error(ErrorCode::io, "open the spool", path, errno));
        if (auto ours = check_owner(fd.get(), path); !ours) return fail(ours.error());
        return fd;
    };
    return open_locked(path, open, [&](int fd) -> Status {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) return {};
        if (errno != EWOULDBLOCK) return fail(file_error(ErrorCode::io, "lock the spool", path, errno));
        Error error = make_error(ErrorCode::busy, "another azlock is using the spool " + in_quotes(path),
                                 "each writer to the same blob needs its own --spool-dir");
        error.target = path;
        return fail(std::move(error));
    });
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::open(const SpoolOptions& options, const Say& say) {
    if (!link_is_trusted(options.directory)) {
        return fail(foreign(options.directory, "is in a folder that is a symbolic link of another user"));
    }
    std::error_code made;
    std::filesystem::create_directories(options.directory, made);
    if (made) return fail(file_error(ErrorCode::io, "make the spool directory", options.directory, made.value()));
    const std::string path = options.directory + "/" + file_name(options.destination);
    auto fd = open_spool(path);
    if (!fd) return fail(fd.error());
    const auto identity = identify(fd->get(), path);
    if (!identity) return fail(identity.error());
    std::unique_ptr<Spool> spool(new Spool(std::move(*fd), path, options.max));
    const auto ready =
        identity->size < kSpoolRecords ? spool->begin(options.destination) : spool->load(options.destination, say);
    if (!ready) {
        spool->fd_.reset();  // the destructor must not remove the file
        return fail(ready.error());
    }
    return spool;
}

Spool::~Spool() {
    if (fd_ && pending_.empty()) ::unlink(path_.c_str());
}

Error Spool::damaged(const std::string& what) const {
    Error error = make_error(ErrorCode::data, "the spool " + in_quotes(path_) + " is damaged: " + what,
                             "azlock did not change it; move it away to go on without its content");
    error.target = path_;
    return error;
}

// Starts a new file. A file shorter than kSpoolRecords never held a batch.
Status Spool::begin(const std::string& destination) {
    const auto head = encode_spool_head(destination);
    if (!head) return fail(ErrorCode::usage, "the destination's name is too long for a spool");
    if (ftruncate(fd_.get(), 0) != 0 || ftruncate(fd_.get(), kSpoolRecords) != 0) {
        return fail(file_error(ErrorCode::io, "write the spool", path_, errno));
    }
    if (auto ok = write_full_at(fd_.get(), 0, *head, path_); !ok) return ok;
    // Both copies are written now, so that their space exists even if the disk gets full.
    for (int copy = 0; copy < 2; ++copy) {
        if (auto ok = write_state(); !ok) return ok;
    }
    if (fsync(fd_.get()) != 0) return fail(file_error(ErrorCode::io, "write the spool", path_, errno));
    left_state_ = state_;
    return {};
}

Status Spool::load(const std::string& destination, const Say& say) {
    Bytes blocks(kSpoolRecords);
    const auto got = read_full_at(fd_.get(), 0, blocks, path_);
    if (!got) return fail(got.error());
    const ByteView all(blocks);
    const auto head = decode_spool_head(all.first(kSpoolBlock));
    const auto one = decode_spool_state(all.subspan(kSpoolBlock, kSpoolBlock));
    const auto two = decode_spool_state(all.subspan(2 * kSpoolBlock, kSpoolBlock));
    if (!head && !one && !two && std::all_of(all.begin(), all.end(), [](std::byte b) { return b == std::byte{0}; })) {
        const auto identity = identify(fd_.get(), path_);
        if (identity && identity->size == kSpoolRecords) return begin(destination);
    }
    if (!head || (!one && !two)) return fail(damaged("its head cannot be read"));
    if (*head != destination) return fail(damaged("it is for " + printable(*head)));
    state_ = !two || (one && one->generation > two->generation) ? *one : *two;
    left_state_ = state_;
    const auto identity = identify(fd_.get(), path_);
    if (!identity) return fail(identity.error());
    if (state_.first < kSpoolRecords) return fail(damaged("its state makes no sense"));
    if (auto ok = scan(identity->size, say); !ok) return ok;
    pending_ = left_;
    for (const Place& place : left_) pending_bytes_ += place.size;
    next_number_ = state_.confirmed + left_.size() + 1;
    return {};
}

Status Spool::scan(std::uint64_t size, const Say& say) {
    std::uint64_t at = state_.first;
    std::uint64_t number = state_.confirmed + 1;
    bool stale = false;
    for (; at + kSpoolRecordHead <= size; ++number) {
        Bytes bytes(kSpoolRecordHead);
        const auto got = read_full_at(fd_.get(), at, bytes, path_);
        if (!got) return fail(got.error());
        auto record = decode_spool_record(bytes);
        // An old record, from before the file was started again.
        stale = record && record->number <= state_.confirmed;
        if (stale || !record || record->number != number || record->size > size - at - kSpoolRecordHead) break;
        record->offset = at + kSpoolRecordHead;
        const std::uint64_t end = record->offset + record->size;
        if (auto whole = read(*record); !whole) {
            if (whole.error().code != ErrorCode::data || end != size) return fail(whole.error());
            break;
        }
        left_.push_back(*record);
        at = end;
    }
    end_ = at;
    freed_to_ = state_.first;
    if (at >= size) {
        if (number <= state_.sending) return fail(damaged("batches that may have been sent are missing"));
        return {};
    }
    if (!stale) {
        if (number <= state_.sending) return fail(damaged("a batch that may have been sent is not whole"));
        Bytes rest(std::min<std::uint64_t>(size - at, kSpoolRecordHead));
        const auto got = read_full_at(fd_.get(), at, rest, path_);
        if (!got) return fail(got.error());
        const bool nothing = std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; });
        const auto begun = decode_spool_record(rest);
        if (rest.size() == kSpoolRecordHead && !nothing && (!begun || begun->number != number)) {
            return fail(damaged("there is no batch at byte " + std::to_string(at)));
        }
        say("the spool " + in_quotes(path_) + " ends in an incomplete batch: " + format_bytes(size - at) +
            " were left out");
    }
    if (ftruncate(fd_.get(), static_cast<off_t>(at)) != 0) {
        return fail(file_error(ErrorCode::io, "write the spool", path_, errno));
    }
    return {};
}

Result<Bytes> Spool::read(const Place& place) const {
    Bytes out(place.size);
    const auto got = read_full_at(fd_.get(), place.offset, out, path_);
    if (!got) return fail(got.error());
    if (*got != out.size() || crc64(out) != place.crc) {
        return fail(damaged("batch " + std::to_string(place.number) + " does not have the bytes that were written"));
    }
    return out;
}

Result<Spool::Place> Spool::append(ByteView batch, std::uint64_t lines) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t need = kSpoolRecordHead + batch.size();
    if (end_ - freed_to_ + need > max_) {
        return fail(ErrorCode::io, "the spool " + in_quotes(path_) + " is full: it holds " +
                                       format_bytes(pending_bytes_) + " of at most " + format_bytes(max_));
    }
    Place place{next_number_, end_ + kSpoolRecordHead, batch.size(), lines, crc64(batch)};
    auto written = write_full_at(fd_.get(), end_, encode_spool_record(place), path_);
    if (written) written = write_full_at(fd_.get(), place.offset, batch, path_);
    if (!written) {
        (void)!ftruncate(fd_.get(), static_cast<off_t>(end_));
        return fail(written.error());
    }
    end_ += need;
    ++next_number_;
    pending_bytes_ += place.size;
    pending_.push_back(place);
    return place;
}

Status Spool::write_state() {
    ++state_.generation;
    const auto copy = encode_spool_state(state_);
    if (!copy) return fail(ErrorCode::usage, "the blob's name is too long for a spool");
    return write_full_at(fd_.get(), kSpoolBlock * (1 + state_.generation % 2), *copy, path_);
}

Status Spool::sending(std::uint64_t number, const AppendMark& mark) {
    {
        const std::lock_guard lock(mutex_);
        state_.sending = number;
        state_.mark = mark;
        if (auto ok = write_state(); !ok) return ok;
    }
    if (fdatasync(fd_.get()) != 0) return fail(file_error(ErrorCode::io, "write the spool", path_, errno));
    const std::lock_guard lock(mutex_);
    reclaim();
    return {};
}

Status Spool::confirmed(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    while (!pending_.empty() && pending_.front().number <= number) {
        pending_bytes_ -= pending_.front().size;
        pending_.pop_front();
    }
    state_.confirmed = number;
    state_.first = pending_.empty() ? end_ : pending_.front().offset - kSpoolRecordHead;
    state_.sending = 0;
    state_.mark = {};
    if (pending_.empty() && end_ - kSpoolRecords >= kReclaim) {
        // The note that the batches are confirmed must be on disk before they are removed.
        state_.first = kSpoolRecords;
        if (auto ok = write_state(); !ok) return ok;
        if (fdatasync(fd_.get()) != 0 || ftruncate(fd_.get(), kSpoolRecords) != 0) {
            return fail(file_error(ErrorCode::io, "write the spool", path_, errno));
        }
        end_ = freed_to_ = kSpoolRecords;
        return {};
    }
    return write_state();
}

std::uint64_t Spool::bytes() const {
    const std::lock_guard lock(mutex_);
    return pending_bytes_;
}

// Frees the space of the records before the first one that the state on disk names.
void Spool::reclaim() {
    if (state_.first < freed_to_ + kReclaim) return;
    const auto from = static_cast<off_t>(freed_to_);
    if (fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from,
                  static_cast<off_t>(state_.first) - from) == 0) {
        freed_to_ = state_.first;
    }
}

}  // namespace azlock::ops
