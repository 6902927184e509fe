// Renew, change and release: they can be repeated, and each refusal names the state of the lease.
#include <set>

#include "ops/lease/actions.hpp"
#include "ops/lease/refusal.hpp"
#include "support/catch.hpp"
#include "unit/ops/lease/lease_rig.hpp"

namespace azlock::ops {
namespace {

using std::chrono::seconds;
using test::FaultCall;
using test::kOther;
using test::kOurs;
using test::kTheirs;
using test::why;

struct Actions : test::LeaseRig {
    Status renew(const std::string& id = kOurs) { return renew_lease(us.client(), blob, id, {}); }
    Status change(const std::string& id = kOurs, const std::string& to = kOther) {
        return change_lease(us.client(), blob, id, to, {});
    }
    Status give_back(const std::string& id = kOurs) { return release_lease(us.client(), blob, id, {}); }

    // Brings the lease kOurs into this state; "taken": somebody else has the lease kTheirs.
    void bring_to(const std::string& wanted) {
        if (wanted == "available") return;
        acquire(kOurs, 15);
        if (wanted == "breaking") break_it(10);
        if (wanted == "broken" || wanted == "taken") break_it(0);
        if (wanted == "taken") acquire(kTheirs);
        if (wanted == "expired") clock.advance(seconds(16));
    }
};

}  // namespace

TEST_CASE("renew, change and release work for the holder, also where the answer is lost") {
    Actions a;
    a.acquire(kOurs, 15);
    const bool lost = GENERATE(false, true);
    SECTION("renew") {
        if (lost) a.on_lease("renew").nth(1).drop_reply();
        a.clock.advance(seconds(10));
        CHECK(a.renew());
        a.clock.advance(seconds(10));
        CHECK(a.state() == "leased");
    }
    SECTION("change") {
        if (lost) a.on_lease("change").nth(1).drop_reply();
        CHECK(a.change());
        CHECK(a.holder() == kOther);
        CHECK(a.change());  // again, as a script does that does not know of the first time
    }
    SECTION("release") {
        if (lost) a.on_lease("release").nth(1).drop_reply();
        CHECK(a.give_back());
        CHECK(a.state() == "available");
    }
}

TEST_CASE("requests that never arrived are repeated") {
    Actions a;
    a.acquire(kOurs, 15);
    const std::string action = GENERATE("renew", "change", "release");
    a.on_lease(action).nth(1).lose_request();
    const Status done = action == "renew" ? a.renew() : action == "change" ? a.change() : a.give_back();
    INFO(why(done));
    CHECK(done);
}

TEST_CASE("a second release of an own lease is refused, and one of another's leaves it alone") {
    Actions a;
    a.acquire(kOurs, 15);
    REQUIRE(a.give_back());
    const auto again = a.give_back();
    REQUIRE(!again);
    CHECK(again.error().code == ErrorCode::precondition);
    a.acquire(kTheirs);
    const auto theirs = a.give_back();
    REQUIRE(!theirs);
    CHECK(theirs.error().code == ErrorCode::busy);
    CHECK(a.holder() == kTheirs);
}

TEST_CASE("an answer that names another id is no success") {
    Actions a;
    a.acquire(kOurs, 15);
    a.on_lease("renew").nth(1).with("another id", [](const FaultCall& call) {
        auto answer = call.forward(call.request);
        answer->headers.set("x-ms-lease-id", kTheirs);
        return answer;
    });
    const auto renewed = a.renew();
    REQUIRE(!renewed);
    CHECK(renewed.error().code == ErrorCode::busy);
    CHECK(is_definitive(renewed.error()));
}

TEST_CASE("every refusal has a sentence of its own and the code that its state means") {
    struct Row {
        std::string state;
        std::string action;
        ErrorCode code;
        std::string says;
    };
    const std::vector<Row> rows{
        {"available", "renew", ErrorCode::precondition, "nobody holds a lease there"},
        {"available", "change", ErrorCode::precondition, "nobody holds a lease there"},
        {"available", "release", ErrorCode::precondition, "nobody holds a lease there"},
        {"breaking", "renew", ErrorCode::precondition, "being broken and cannot be renewed"},
        {"breaking", "change", ErrorCode::precondition, "being broken and cannot be changed"},
        {"broken", "renew", ErrorCode::precondition, "was broken and cannot be renewed"},
        {"broken", "change", ErrorCode::precondition, "was broken and cannot be changed"},
        {"expired", "change", ErrorCode::precondition, "has expired and cannot be changed"},
        {"taken", "renew", ErrorCode::busy, "leased under another lease id"},
        {"taken", "change", ErrorCode::busy, "leased under another lease id"},
        {"taken", "release", ErrorCode::busy, "leased under another lease id"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.state, row.action);
        Actions a;
        a.bring_to(row.state);
        const Status done = row.action == "renew" ? a.renew() : row.action == "change" ? a.change() : a.give_back();
        REQUIRE(!done);
        const Error& error = done.error();
        CHECK(error.code == row.code);
        CHECK(error.message.find(row.says) != std::string::npos);
        CHECK(!error.hint.empty());
        CHECK(error.http_status == 409);
        CHECK(error.service_code.starts_with("Lease"));
    }
}

TEST_CASE("a wrong id is told from a lease that is over") {
    for (const std::string state : {"breaking", "broken", "expired"}) {
        CAPTURE(state);
        Actions a;
        a.bring_to(state);
        const auto refused = a.renew(kOther);
        REQUIRE(!refused);
        CHECK(refused.error().code == (state == "breaking" ? ErrorCode::busy : ErrorCode::precondition));
        CHECK(refused.error().message.find("another lease id") != std::string::npos);
    }
}

TEST_CASE("an expired lease is renewed as long as nobody wrote or leased") {
    Actions a;
    a.bring_to("expired");
    SECTION("untouched") {
        CHECK(a.renew());
    }
    SECTION("written") {
        a.describe({{"k", "v"}});
        CHECK(!a.renew());
    }
    SECTION("released late") {
        CHECK(a.give_back());
    }
}

TEST_CASE("the id of a deleted blob is not found, and that of a new blob holds nothing") {
    Actions a;
    a.acquire(kOurs);
    a.service.erase("box", "data");
    const auto gone = a.renew();
    REQUIRE(!gone);
    CHECK(gone.error().code == ErrorCode::not_found);
    CHECK(is_definitive(gone.error()));
    a.service.put("box", "data", "new");
    const auto later = a.renew();
    REQUIRE(!later);
    CHECK(later.error().code == ErrorCode::precondition);
}

TEST_CASE("a refusal that nobody can look at keeps the general sentence") {
    Actions a;
    a.faulty.on("Get Blob Properties").from(1).return_status(403, "AuthorizationPermissionMismatch");
    const auto refused = a.renew();
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::precondition);
    CHECK(!refused.error().message.empty());
}

TEST_CASE("what proves that a lease is lost, and what proves nothing") {
    Error error;
    for (const auto& [status, code, definitive] :
         std::initializer_list<std::tuple<int, const char*, bool>>{{409, "LeaseIdMismatchWithLeaseOperation", true},
                                                                   {409, "LeaseIsBrokenAndCannotBeRenewed", true},
                                                                   {412, "LeaseNotPresentWithBlobOperation", true},
                                                                   {412, "LeaseLost", true},
                                                                   {404, "BlobNotFound", true},
                                                                   {404, "ContainerNotFound", true},
                                                                   {404, "", false},
                                                                   {404, "ResourceNotFound", false},
                                                                   {403, "AuthorizationFailure", false},
                                                                   {409, "ContainerBeingDeleted", false},
                                                                   {412, "ConditionNotMet", false},
                                                                   {503, "ServerBusy", false},
                                                                   {0, "", false}}) {
        CAPTURE(status, code);
        error.http_status = status;
        error.service_code = code;
        CHECK(is_definitive(error) == definitive);
    }
}

}  // namespace azlock::ops
