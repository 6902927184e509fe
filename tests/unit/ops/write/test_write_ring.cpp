// The ring of write ids: in the metadata, newest last; and what it says about a write whose answer was lost.
#include "base/encoding.hpp"
#include "ops/write/write_ring.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

WriteRing ring_of(std::initializer_list<std::uint64_t> ids) {
    WriteRing ring;
    for (const std::uint64_t id : ids) ring.add(id);
    return ring;
}

WriteRing through_metadata(const WriteRing& ring) {
    azure::Metadata metadata;
    ring.write(metadata);
    return WriteRing::read(metadata);
}

}  // namespace

TEST_CASE("a ring survives its way through the metadata, oldest first") {
    const WriteRing ring = through_metadata(ring_of({1, 0xFFFFFFFFFFFFFFFF, 0x0102030405060708}));
    CHECK(ring.contains(1));
    CHECK(ring.contains(0xFFFFFFFFFFFFFFFF));
    CHECK(ring.contains(0x0102030405060708));
    CHECK(!ring.contains(2));
    CHECK(ring.newest() == 0x0102030405060708);
    azure::Metadata metadata;
    ring_of({0x0102030405060708}).write(metadata);
    CHECK(metadata == azure::Metadata{{"azl_writes", "AQIDBAUGBwg="}});
}

TEST_CASE("an empty ring has no newest id") {
    CHECK(!WriteRing{}.newest());
    CHECK(!WriteRing::read({}).newest());
    CHECK(!through_metadata({}).newest());
}

TEST_CASE("a ring holds the last 128 ids and forgets the oldest") {
    WriteRing ring;
    for (std::uint64_t id = 1; id <= 130; ++id) ring.add(id);
    ring = through_metadata(ring);
    CHECK(!ring.contains(2));
    CHECK(ring.contains(3));
    CHECK(ring.newest() == 130);
    azure::Metadata metadata;
    ring.write(metadata);
    CHECK(base64_decode(metadata.at("azl_writes"))->size() == 128 * 8);
}

TEST_CASE("a ring leaves out its oldest ids where the metadata has no room for them, but never the newest") {
    WriteRing ring;
    for (std::uint64_t id = 1; id <= WriteRing::kCapacity; ++id) ring.add(id);
    for (const std::size_t others : {std::size_t{0}, std::size_t{6'800}, std::size_t{7'680}, std::size_t{9'000}}) {
        CAPTURE(others);
        azure::Metadata metadata{{"AZL_writes", std::string(5'000, 'A')}, {"m", std::string(others, 'x')}};
        const std::size_t kept = ring.write(metadata);
        CHECK(kept == base64_decode(metadata.at("azl_writes"))->size() / 8);
        CHECK(WriteRing::read(metadata).newest() == WriteRing::kCapacity);
        const std::size_t size = 1 + others + 10 + metadata.at("azl_writes").size();
        CHECK((size <= 8192 || kept == 1));
        // One more would not have had room.
        CHECK((kept == ring.size() || size + 12 > 8192));
    }
}

TEST_CASE("a ring takes the place of the one in the metadata, whatever its case, and leaves the rest") {
    azure::Metadata metadata{{"AZL_Writes", "old"}, {"colour", "red"}};
    ring_of({7}).write(metadata);
    CHECK(metadata.size() == 2);
    CHECK(metadata.at("colour") == "red");
    CHECK(WriteRing::read(metadata).newest() == 7);
    CHECK(WriteRing::read({{"Azl_Writes", metadata.at("azl_writes")}}).newest() == 7);
}

TEST_CASE("what is not a ring of ours counts as no ring") {
    const std::string too_long = base64_encode(Bytes(129 * 8));
    for (const std::string& value : {std::string("?"), std::string(), std::string("AAAA"), too_long}) {
        CAPTURE(value);
        CHECK(!WriteRing::read({{"azl_writes", value}}).newest());
    }
}

TEST_CASE("the fate of a write is told by its own id, by the base's newest, and by nothing else") {
    const WriteRing base = ring_of({1, 2});
    struct Case {
        WriteRing base;
        WriteRing present;
        WriteFate fate;
    };
    const Case table[] = {
        {base, ring_of({1, 2, 9}), WriteFate::applied},
        {base, ring_of({1, 2, 9, 3, 4}), WriteFate::applied},  // somebody wrote after us
        {base, ring_of({9}), WriteFate::applied},              // the rest was pushed out
        {base, ring_of({1, 2}), WriteFate::not_applied},
        {base, ring_of({1, 2, 3}), WriteFate::not_applied},  // somebody wrote instead of us
        {base, ring_of({1}), WriteFate::unknown},            // the newest of the base is gone
        {base, ring_of({5}), WriteFate::unknown},            // wiped by a tool that knows no ring
        {base, WriteRing{}, WriteFate::unknown},
        {WriteRing{}, ring_of({5}), WriteFate::unknown},  // the base had no ring: nothing to compare with
        {WriteRing{}, WriteRing{}, WriteFate::unknown},
        {WriteRing{}, ring_of({9}), WriteFate::applied},
    };
    for (const Case& row : table) CHECK(fate_of(9, row.base, row.present) == row.fate);
}

TEST_CASE("a ring leaves out old ids that have no room beside the other metadata, and keeps the newest") {
    WriteRing ring;
    for (std::uint64_t id = 1; id <= WriteRing::kCapacity; ++id) ring.add(id);
    for (const std::size_t others : {std::size_t{0}, std::size_t{6'900}, std::size_t{8'000}, std::size_t{8'160}}) {
        CAPTURE(others);
        azure::Metadata metadata{{"m", std::string(others, 'x')}};
        ring.write(metadata);
        CHECK(size_of(metadata) <= kMaxMetadata);
        const WriteRing read = WriteRing::read(metadata);
        CHECK(read.newest() == WriteRing::kCapacity);
        CHECK(read.contains(1) == (others == 0));
    }
}

}  // namespace azlock::ops
