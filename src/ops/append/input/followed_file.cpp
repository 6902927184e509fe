#include "ops/append/input/followed_file.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/uio.h>
#include <unistd.h>

namespace azlock::ops {
namespace {

constexpr std::size_t kTail = 4096;

}  // namespace

Status FollowedFile::skip_to_end() {
    const auto identity = identify(fd_.get(), path_);
    if (!identity) return fail(identity.error());
    tail_.resize(std::min<std::uint64_t>(kTail, identity->size));
    const auto got = read_full_at(fd_.get(), identity->size - tail_.size(), tail_, path_);
    if (!got) return fail(got.error());
    offset_ = identity->size - tail_.size() + *got;
    tail_.resize(*got);
    return {};
}

Result<std::uint64_t> FollowedFile::left() const {
    const auto identity = identify(fd_.get(), path_);
    if (!identity) return fail(identity.error());
    return identity->size - std::min(identity->size, offset_);
}

void FollowedFile::remember(ByteView data) {
    if (data.size() > kTail) data = data.last(kTail);
    const std::size_t keep = std::min(tail_.size(), kTail - data.size());
    tail_.erase(tail_.begin(), tail_.end() - static_cast<std::ptrdiff_t>(keep));
    tail_.insert(tail_.end(), data.begin(), data.end());
}

FollowedFile::Read FollowedFile::begin_again() {
    const off_t data = lseek(fd_.get(), 0, SEEK_DATA);
    offset_ = data > 0 ? static_cast<std::uint64_t>(data) : 0;
    tail_.clear();
    skip_nuls_ = true;
    return {Got::truncated, 0};
}

// The old bytes and the new ones come with one call, so that no truncation can come between them unnoticed.
Result<FollowedFile::Read> FollowedFile::read(std::span<std::byte> out) {
    std::vector<std::byte> before(tail_.size());
    const iovec parts[] = {{before.data(), before.size()}, {out.data(), out.size()}};
    ssize_t done = 0;
    do {
        done = preadv(fd_.get(), parts, 2, static_cast<off_t>(offset_ - before.size()));
    } while (done < 0 && errno == EINTR);
    if (done < 0) return fail(file_error(ErrorCode::io, "read", path_, errno));
    const auto got = static_cast<std::size_t>(done);
    if (got < before.size()) {
        const auto identity = identify(fd_.get(), path_);
        if (!identity) return fail(identity.error());
        return identity->size < offset_ ? begin_again() : Read{};
    }
    if (before != tail_) return begin_again();
    std::span<std::byte> fresh = out.first(got - before.size());
    offset_ += fresh.size();
    remember(fresh);
    if (skip_nuls_) {
        const auto text = std::find_if(fresh.begin(), fresh.end(), [](std::byte b) { return b != std::byte{0}; });
        skip_nuls_ = text == fresh.end();
        std::move(text, fresh.end(), fresh.begin());
        fresh = fresh.first(static_cast<std::size_t>(fresh.end() - text));
        if (fresh.empty() && got > before.size()) return read(out);
    }
    return fresh.empty() ? Read{} : Read{Got::bytes, fresh.size()};
}

}  // namespace azlock::ops
