// Counts of a command, and of the files that are parts of it.
#include <optional>

#include "ops/transfer/progress.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("what a part counts, the whole counts, too; what is to be done is not added") {
    Progress whole;
    whole.total = 100;
    {
        PartProgress part(whole, "a", 60);
        part.counts().moving += 30;
        part.counts().sent += 10;
        ++part.counts().reused_blocks;
        part.counts().moving -= 20;
        CHECK(part.counts().done() == 20);
    }
    CHECK(whole.total == 100);
    CHECK(whole.done() == 20);
    CHECK(whole.reused_blocks == 1);
}

TEST_CASE("the parts that are under way are given in the order in which they began") {
    Progress whole;
    std::optional<PartProgress> first;
    first.emplace(whole, "first", 1);
    const PartProgress second(whole, "second", 2);
    PartProgress third(whole, "third", 3);
    third.counts().sent += 2;
    CHECK(whole.parts(2).size() == 2);
    CHECK(whole.parts(2)[1].name == "second");
    first.reset();
    REQUIRE(whole.parts(9).size() == 2);
    CHECK(whole.parts(9)[1].name == "third");
    CHECK(whole.parts(9)[1].total == 3);
    CHECK(whole.parts(9)[1].done == 2);
}

TEST_CASE("what was compared counts as done until something is sent") {
    Progress progress;
    progress.compared += 50;
    CHECK(progress.done() == 50);
    progress.sent += 1;
    CHECK(progress.done() == 1);
}

}  // namespace azlock::ops
