#include "ops/write/block_digest.hpp"

#include <algorithm>

#include "base/crc64.hpp"
#include "base/xxh3.hpp"

namespace azlock::ops {
namespace {

using azure::Checksum;

// Bytes. A part is small enough to be still in the processor's cache for the second sum.
constexpr std::size_t kReadSize = 256 * 1024;

template <typename Hash>
Result<BlockDigest> digest(const http::Body& body, Checksum::Kind kind) {
    Hash hash;
    Crc64 crc;
    Md5 md5;
    Bytes buffer(std::min<std::uint64_t>(kReadSize, body.size()));
    for (std::uint64_t done = 0; done < body.size();) {
        const auto part = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), body.size() - done));
        const auto got = body.read_at(done, part);
        if (!got) return fail(got.error());
        if (*got != part.size()) return fail(ErrorCode::internal, "a block ended before its length");
        hash.update(part);
        if (kind == Checksum::Kind::crc64) crc.update(part);
        if (kind == Checksum::Kind::md5) md5.update(part);
        done += part.size();
    }
    BlockDigest out;
    const auto sum = hash.finish();
    std::copy(sum.begin(), sum.end(), out.hash.begin());
    out.checksum.kind = kind;
    if (kind == Checksum::Kind::crc64) out.checksum.value = crc64_header(crc.value());
    if (kind == Checksum::Kind::md5) out.checksum.value = base64_encode(md5.finish());
    return out;
}

}  // namespace

Result<BlockDigest> digest_block(const http::Body& body, HashKind hash, Checksum::Kind checksum) {
    return hash == HashKind::xxh3 ? digest<Xxh3>(body, checksum) : digest<Sha256>(body, checksum);
}

}  // namespace azlock::ops
