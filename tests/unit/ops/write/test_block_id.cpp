// A block's id names its bytes by hash and length, their occurrence, and the plan. No other id is one of ours.
#include <set>

#include "base/encoding.hpp"
#include "ops/write/block_id.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

BlockId sample() {
    BlockId id;
    id.hash = sha256(as_bytes("the bytes of a block"));
    id.length = 0x01020304;
    id.occurrence = 0xA0B0C0D0;
    id.plan = PlanTag::make(CutKind::fixed, HashKind::sha256, 8 * 1024 * 1024);
    return id;
}

std::string encode(Bytes raw) {
    return base64_encode(raw);
}

Bytes raw_sample() {
    return base64_decode(sample().encode()).value();
}

}  // namespace

TEST_CASE("a block id is 64 characters and comes back as it was") {
    const std::string text = sample().encode();
    CHECK(text.size() == 64);
    REQUIRE(BlockId::decode(text));
    CHECK(*BlockId::decode(text) == sample());
    CHECK(BlockId::decode(BlockId{}.encode()) == BlockId{});
}

TEST_CASE("a block id has its parts at fixed places, numbers big-endian") {
    const Bytes raw = raw_sample();
    REQUIRE(raw.size() == 48);
    CHECK(std::string(reinterpret_cast<const char*>(raw.data()), 4) == "azl1");
    CHECK(std::equal(raw.begin() + 4, raw.begin() + 36, sample().hash.begin()));
    const auto part = [&](std::size_t at) { return hex_encode(std::span(raw).subspan(at, 4)); };
    CHECK(part(36) == "01020304");
    CHECK(part(40) == "a0b0c0d0");
    CHECK(part(44) == "11000800");  // fixed size, SHA-256, 2048 units of 4 KiB
}

TEST_CASE("each part of a block id makes another id") {
    std::set<std::string> ids;
    BlockId id = sample();
    ids.insert(id.encode());
    id.hash[31] ^= std::byte{1};
    ids.insert(id.encode());
    ++id.length;
    ids.insert(id.encode());
    ++id.occurrence;
    ids.insert(id.encode());
    ++id.plan.value;
    ids.insert(id.encode());
    CHECK(ids.size() == 5);
}

TEST_CASE("every block size has a plan tag of its own") {
    std::set<std::uint32_t> tags;
    for (std::uint64_t size = 4096; size <= 4000ULL * 1024 * 1024; size *= 2)
        tags.insert(PlanTag::make(CutKind::fixed, HashKind::sha256, size).value);
    tags.insert(PlanTag::make(CutKind::fixed, HashKind::sha256, 4000ULL * 1024 * 1024).value);
    CHECK(tags.size() == 21);
}

TEST_CASE("ids of other tools are not ours") {
    CHECK(!BlockId::decode(""));
    CHECK(!BlockId::decode("MDAwMDAx"));                       // a counter
    CHECK(!BlockId::decode(std::string(64, '!')));             // not Base64
    CHECK(!BlockId::decode(std::string(64, 'A')));             // as long as ours, other magic
    CHECK(!BlockId::decode(sample().encode().substr(0, 60)));  // shorter
    CHECK(!BlockId::decode(sample().encode() + "AAAA"));       // longer
    CHECK(!BlockId::decode(" " + sample().encode()));          // with a blank before it
    Bytes raw = raw_sample();
    raw[3] = std::byte{'2'};  // another version of the format
    CHECK(!BlockId::decode(encode(raw)));
}

TEST_CASE("a plan tag tells cut, hash and size, and what it does not know") {
    for (const CutKind cut : {CutKind::fixed, CutKind::content}) {
        for (const HashKind hash : {HashKind::sha256, HashKind::xxh3}) {
            const PlanTag tag = PlanTag::make(cut, hash, 32 * 1024 * 1024);
            CHECK(tag.known());
            CHECK(tag.cut() == cut);
            CHECK(tag.hash() == hash);
            CHECK(tag.size() == 32 * 1024 * 1024);
        }
    }
    for (const std::uint32_t value : {0U, 0x11000000U, 0x31000800U, 0x01000800U, 0x13000800U, 0x10000800U}) {
        CAPTURE(value);
        CHECK_FALSE(PlanTag{value}.known());
    }
}

}  // namespace azlock::ops
