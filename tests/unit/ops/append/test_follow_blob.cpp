// Whoever follows an append blob gets each byte once and in order, through rotations and outages, or a clear error.
#include "ops/append/follow_blob.hpp"
#include "ops/append/target.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::Rig;
using test::why;

constexpr const char* kLook = "Get Blob Properties";

struct FollowRig : Rig {
    FollowRig() {
        make(0);
        options.interval = seconds(2);
        options.range_size = 10;
    }
    void make(std::uint64_t part) { REQUIRE(create_append_blob(peer.client(), part_of(blob, part), "text/plain", {})); }
    void append(const std::string& text, std::uint64_t part = 0) {
        REQUIRE(peer.client().append_block(part_of(blob, part), http::make_body(text), {}, {}));
    }
    void seal(std::uint64_t part = 0) { REQUIRE(peer.client().seal(part_of(blob, part), {}, {}, {})); }

    Status follow(azure::Call call = {}) {
        azure::Pipeline single(faulty, clock, random,
                               azure::Credential::shared_key(test::kRigAccount, Secret(test::kFakeKey)).value(), [] {
                                   azure::PipelineOptions once;
                                   once.retry.max_attempts = 1;
                                   return once;
                               }());
        azure::BlobClient client(single, us.client().endpoint());
        return follow_blob(
            client, blob, options,
            [&](ByteView bytes) -> Status {
                seen.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                return {};
            },
            call);
    }

    SeededRandom random{5};
    FollowOptions options;
    std::string seen;
};

}  // namespace

TEST_CASE("what is there and what is appended later is read once, until the blob is sealed") {
    FollowRig r;
    r.append("what was there at the start; ");
    r.faulty.on(kLook).nth(3).meanwhile([&] { r.append("later; "); });
    r.faulty.on(kLook).nth(5).meanwhile([&] {
        r.append("the end");
        r.seal();
    });
    const auto done = r.follow();
    INFO(why(done));
    CHECK(done);
    CHECK(r.seen == "what was there at the start; later; the end");
}

TEST_CASE("after a rotation the next part is read, also if it comes a while after the seal") {
    FollowRig r;
    r.append("first; ");
    r.seal();
    r.faulty.on(kLook).nth(6).meanwhile([&] {
        r.make(1);
        r.append("second; ", 1);
        r.seal(1);
        r.make(2);
    });
    r.faulty.on(kLook).nth(11).meanwhile([&] {
        r.append("third", 2);
        r.seal(2);
    });
    const auto done = r.follow();
    INFO(why(done));
    CHECK(done);
    CHECK(r.seen == "first; second; third");
}

TEST_CASE("from the end only what comes later is read, in the last part") {
    FollowRig r;
    r.append("old; ");
    r.seal();
    r.make(1);
    r.append("old, too; ", 1);
    r.options.from_end = true;
    r.faulty.on(kLook).nth(3).meanwhile([&] {
        r.append("new", 1);
        r.seal(1);
    });
    CHECK(r.follow());
    CHECK(r.seen == "new");
}

TEST_CASE("an outage is told, and following goes on after it") {
    FollowRig r;
    int told = 0;
    r.options.retry.told.began = [&](const Error&) { ++told; };
    r.append("one; ");
    for (std::size_t n = 3; n < 12; ++n) r.faulty.on(kLook).nth(n).fail_before();
    r.faulty.on(kLook).nth(12).meanwhile([&] {
        r.append("two");
        r.seal();
    });
    CHECK(r.follow());
    CHECK(r.seen == "one; two");
    CHECK(told == 1);
}

TEST_CASE("a blob that was deleted, made again or is of another type ends the following") {
    FollowRig r;
    r.append("one; ");
    std::string part;
    SECTION("deleted") {
        r.faulty.on(kLook).nth(3).meanwhile([&] { r.service.erase("box", "data"); });
        part = "the blob was deleted while it was followed";
    }
    SECTION("made again, and longer") {
        r.faulty.on(kLook).nth(3).meanwhile([&] {
            r.service.erase("box", "data");
            r.clock.advance(seconds(1));
            r.make(0);
            r.append("another one, which is longer");
        });
        part = "another blob has this name now";
    }
    SECTION("made again between a look and a read") {
        r.faulty.on("Get Blob").nth(1).meanwhile([&] {
            r.service.erase("box", "data");
            r.make(0);
        });
        part = "another blob has this name now";
        r.seen = "one; ";
    }
    SECTION("a block blob") {
        r.service.put("box", "data", "x");
        part = "it is not an append blob";
        r.seen = "one; ";
    }
    const auto done = r.follow();
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::precondition);
    CHECK(done.error().message == part);
    CHECK(r.seen == "one; ");
}

TEST_CASE("following ends at the deadline, at a stop, and where there is no blob") {
    FollowRig r;
    r.append("one");
    const BootTime begun = r.clock.now();
    CHECK(r.follow({r.clock.after(seconds(23)), {}}).error().code == ErrorCode::unavailable);
    CHECK(r.clock.now() - begun == seconds(23));
    std::stop_source stop;
    r.faulty.on(kLook).nth(3).meanwhile([&] { stop.request_stop(); });
    CHECK(r.follow({kNoDeadline, stop.get_token()}).error().code == ErrorCode::cancelled);
    r.service.erase("box", "data");
    CHECK(r.follow().error().code == ErrorCode::not_found);
    r.faulty.clear();
}

}  // namespace azlock::ops
