// One write over one version: what its answer says about it, or the blob if the answer was lost.
#include "ops/write/conditional_write.hpp"
#include "support/catch.hpp"
#include "unit/rig.hpp"

namespace azlock::ops {
namespace {

using test::Rig;
using test::why;

constexpr std::uint64_t kOurs = 77;

azure::Metadata ring_metadata(std::initializer_list<std::uint64_t> ids) {
    WriteRing ring;
    for (const std::uint64_t id : ids) ring.add(id);
    azure::Metadata metadata;
    ring.write(metadata);
    return metadata;
}

// Somebody's write with this ring.
void put(Rig& rig, std::initializer_list<std::uint64_t> ids) {
    azure::PutBlobOptions options;
    options.metadata = ring_metadata(ids);
    REQUIRE(rig.peer.client().put_blob(rig.blob, http::make_body("x"), options, {}));
}

BlobBase look_now(Rig& rig) {
    auto base = read_base(rig.peer.client(), rig.blob, {}, {});
    REQUIRE(base);
    return *base;
}

Error lost() {
    Error error = make_error(ErrorCode::unavailable, "the connection broke");
    error.target = "box/data";
    error.may_have_applied = true;
    return error;
}

Error refused() {
    Error error = lost();
    error.code = ErrorCode::precondition;
    error.http_status = 412;
    error.service_code = "ConditionNotMet";
    return error;
}

}  // namespace

TEST_CASE("a look sees a blob's version, type and ring, and a missing blob as none") {
    Rig rig;
    CHECK(!look_now(rig).exists);
    put(rig, {1, 2});
    const BlobBase base = look_now(rig);
    CHECK(base.exists);
    CHECK(base.etag == '"' + rig.view().etag + '"');
    CHECK(base.blob_type == "BlockBlob");
    CHECK(base.ring.newest() == 2);
    const auto nowhere = read_base(rig.us.client(), {"nowhere", "data", {}}, {}, {});
    REQUIRE(!nowhere);
    CHECK(nowhere.error().service_code == "ContainerNotFound");
}

TEST_CASE("a write over a version names it, and a write over nothing names that") {
    CHECK(only_over({true, "\"0x1\"", {}, {}}, "lease").if_match == "\"0x1\"");
    CHECK(only_over({true, "\"0x1\"", {}, {}}, "lease").if_none_match.empty());
    CHECK(only_over({}, "lease").if_none_match == "*");
    CHECK(only_over({}, "lease").if_match.empty());
    CHECK(only_over({}, "lease").lease_id == "lease");
}

TEST_CASE("a write that is answered needs no look") {
    Rig rig;
    put(rig, {1});
    const auto written = write_over(rig.us.client(), rig.blob, look_now(rig), kOurs, {}, {},
                                    [](const azure::Conditions&, const WriteRing& ring) -> Result<azure::WriteResult> {
                                        CHECK(ring.contains(1));
                                        CHECK(ring.newest() == kOurs);
                                        return azure::WriteResult{"\"0x9\"", {}, {}};
                                    });
    REQUIRE(written);
    CHECK(written->etag == "\"0x9\"");
    CHECK(!written->recognised);
    CHECK(rig.faulty.requests() == 0);
}

TEST_CASE("a write that was certainly refused needs no look") {
    Rig rig;
    int calls = 0;
    const auto written = write_over(rig.us.client(), rig.blob, {}, kOurs, {}, {},
                                    [&](const azure::Conditions&, const WriteRing&) -> Result<azure::WriteResult> {
                                        ++calls;
                                        Error error = refused();
                                        error.may_have_applied = false;
                                        return fail(error);
                                    });
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::precondition);
    CHECK(calls == 1);
    CHECK(rig.faulty.requests() == 0);
}

TEST_CASE("after a lost answer the blob's ring decides") {
    Rig rig;
    put(rig, {1, 2});
    const BlobBase base = look_now(rig);
    struct Case {
        const char* what;
        std::initializer_list<std::uint64_t> present;
        bool applied;
        bool etag;
        bool uncertain;
    };
    const Case table[] = {
        {"ours is the newest", {1, 2, kOurs}, true, true, false},
        {"somebody wrote on top of ours", {1, 2, kOurs, 3}, true, false, false},
        {"somebody wrote instead of us", {1, 2, 3}, false, false, false},
        {"somebody wiped the ring", {3}, false, false, true},
        {"somebody left no ring", {}, false, false, true},
    };
    for (const Case& row : table) {
        CAPTURE(row.what);
        put(rig, row.present);
        const auto written =
            resolve_lost_answer(rig.us.client(), rig.blob, base, kOurs, rig.clock.now(), refused(), {});
        INFO(why(written));
        REQUIRE(written.has_value() == row.applied);
        if (row.applied) {
            CHECK(written->recognised);
            CHECK(written->etag == (row.etag ? look_now(rig).etag : std::string()));
            continue;
        }
        CHECK(written.error().may_have_applied == row.uncertain);
        CHECK(written.error().code == (row.uncertain ? ErrorCode::unavailable : ErrorCode::precondition));
        CHECK(written.error().hint.empty() != row.uncertain);
    }
}

TEST_CASE("a refused write over a version that is still there was not carried out") {
    Rig rig;
    put(rig, {});
    const auto written =
        resolve_lost_answer(rig.us.client(), rig.blob, look_now(rig), kOurs, rig.clock.now(), refused(), {});
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::precondition);
    CHECK(!written.error().may_have_applied);
}

TEST_CASE("an unanswered write over a version that is still there may yet be carried out") {
    Rig rig;
    put(rig, {1});
    const auto written =
        resolve_lost_answer(rig.us.client(), rig.blob, look_now(rig), kOurs, rig.clock.now(), lost(), {});
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::unavailable);
    CHECK(written.error().may_have_applied);
    CHECK(!written.error().hint.empty());
}

TEST_CASE("that nothing is there does not tell whether our new blob was there meanwhile") {
    Rig rig;
    const auto written = resolve_lost_answer(rig.us.client(), rig.blob, {}, kOurs, rig.clock.now(), refused(), {});
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::unavailable);
    CHECK(written.error().may_have_applied);
}

TEST_CASE("a look that fails decides nothing") {
    Rig rig;
    rig.faulty.on("Get Blob Properties").return_status(403, "AuthorizationPermissionMismatch");
    const auto written = resolve_lost_answer(rig.us.client(), rig.blob, {}, kOurs, rig.clock.now(), refused(), {});
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::unavailable);
    CHECK(written.error().may_have_applied);
}

TEST_CASE("a version that is older than the first sending of a write refuses it, whatever its ring says") {
    Rig rig;
    put(rig, {});
    rig.clock.advance(std::chrono::seconds(4));
    const auto first_sent = rig.clock.now();
    rig.clock.advance(std::chrono::seconds(20));
    const Error failure = GENERATE(lost(), refused());
    const auto written = resolve_lost_answer(rig.us.client(), rig.blob, {}, kOurs, first_sent, failure, {});
    REQUIRE(!written);
    CHECK(written.error().code == ErrorCode::precondition);
    CHECK(!written.error().may_have_applied);
}

}  // namespace azlock::ops
