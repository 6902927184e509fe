#include "ops/append/input/read_witness.hpp"

#include <algorithm>
#include <vector>

#include <unistd.h>

#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;

}  // namespace

ReadWitness::ReadWitness(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
    const auto identity = identify(fd, name_);
    const off_t at = lseek(fd, 0, SEEK_CUR);
    if (!identity || !identity->regular || at < 0) return;
    before_ = *identity;
    begin_ = end_ = static_cast<std::uint64_t>(at);
}

void ReadWitness::saw(ByteView data) {
    if (!before_) return;
    seen_.update(data);
    end_ += data.size();
}

Status ReadWitness::check() {
    if (!before_) return {};
    const auto now = identify(fd_, name_);
    if (!now) return fail(now.error());
    if (*now == *before_) return {};
    Xxh3 there;
    std::vector<std::byte> chunk(kChunk);
    for (std::uint64_t at = begin_; at < end_;) {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), end_ - at));
        const auto got = read_full_at(fd_, at, std::span(chunk).first(want), name_);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        there.update(ByteView(chunk).first(*got));
        at += *got;
    }
    if (there.finish() == seen_.finish()) return {};
    Error error = make_error(
        ErrorCode::data,
        in_quotes(name_) + " was truncated or rewritten while it was read: what was appended is not one version of it",
        "append a copy that nobody changes; a log that is truncated needs --follow");
    error.target = name_;
    return fail(std::move(error));
}

}  // namespace azlock::ops
