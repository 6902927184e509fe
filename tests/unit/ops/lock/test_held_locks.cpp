// What a command is told about the locks that it runs under.
#include "ops/lock/held_locks.hpp"
#include "support/catch.hpp"
#include "unit/environment.hpp"

namespace azlock::ops {
namespace {

// The environment of a command under these locks, the innermost one last.
void go_inside(test::Environment& environment, const std::vector<HeldEntry>& outer, const HeldEntry& lock) {
    for (const std::string& change : lock_environment(outer, lock)) {
        const std::size_t equals = change.find('=');
        if (equals == std::string::npos) {
            ::unsetenv(change.c_str());
        } else {
            environment.set(change.substr(0, equals).c_str(), change.substr(equals + 1));
        }
    }
}

const HeldEntry kOuterLock{"a,b;c %41\n", "http://h/box/a%2Cb", "lease-1", "17", 0};
const HeldEntry kInnerLock{"pool", "http://h/box/pool.2", "lease-2", "", 2};

}  // namespace

TEST_CASE("a command knows all locks that it runs under, whatever their names have in them") {
    test::Environment environment;
    CHECK(held_locks().empty());
    go_inside(environment, {}, kOuterLock);
    go_inside(environment, held_locks(), kInnerLock);
    const auto held = held_locks();
    REQUIRE(held.size() == 2);
    CHECK(held[0].name == kOuterLock.name);
    CHECK(held[0].url == kOuterLock.url);
    CHECK(held[0].lease_id == kOuterLock.lease_id);
    CHECK(held[0].fence == "17");
    CHECK(held[1].name == "pool");
    CHECK(held[1].fence.empty());
    CHECK(held[1].slot == 2);
    const auto inner = innermost_lock();
    REQUIRE(inner);
    CHECK(inner->name == "pool");
    CHECK(inner->lease_id == "lease-2");
    CHECK(inner->slot == 2);
    CHECK(std::getenv("AZLOCK_FENCE") == nullptr);  // not that of the outer lock
}

TEST_CASE("a list of held locks that azlock did not write counts as none") {
    test::Environment environment;
    go_inside(environment, {}, kOuterLock);
    const std::string good = std::getenv("AZLOCK_HELD");
    REQUIRE(held_locks().size() == 1);
    for (const std::string bad :
         {"x", ",,,,,", "0,x,l,u,n,k", "x,1,l,u,n,k", "0,1,%ZZ,u,n,k", "0,1,l,u,n", "0,1,l,u,n,k,m"}) {
        CAPTURE(bad);
        environment.set("AZLOCK_HELD", good + ";" + bad);
        CHECK(held_locks().empty());
    }
}

TEST_CASE("without a lock's URL or lease this does not run under a lock") {
    test::Environment environment;
    go_inside(environment, {}, kOuterLock);
    const std::string missing = GENERATE(as<std::string>{}, "AZLOCK_URL", "AZLOCK_LEASE_ID");
    environment.set(missing.c_str(), "");
    const auto lock = innermost_lock();
    REQUIRE(!lock);
    CHECK(lock.error().code == ErrorCode::usage);
}

TEST_CASE("a command that runs after a loss knows the lock's name, and does not run under it") {
    const auto changes = lost_lock_environment(kInnerLock);
    CHECK(changes == std::vector<std::string>{"AZLOCK_NAME=pool", "AZLOCK_URL=http://h/box/pool.2", "AZLOCK_FENCE",
                                              "AZLOCK_SLOT=2", "AZLOCK_LEASE_ID"});
}

}  // namespace azlock::ops
