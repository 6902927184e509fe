// --fence and --fence-by: their own values, and what they take from the environment of a lock.
#include <algorithm>

#include "cli/flags/fence_flags.hpp"
#include "support/catch.hpp"
#include "unit/environment.hpp"

namespace azlock::cli {
namespace {

const std::string kLock = "https://acct.blob.core.windows.net/locks/deploy";

struct Parsed {
    std::vector<std::string> paths;
    FenceFlags fence;
};

Parsed parse(std::vector<std::string> arguments) {
    Parsed out;
    Parser app;
    app.add_option("paths", out.paths);
    add_fence_flags(app, out.fence);
    REQUIRE(app.parse(std::move(arguments)));
    return out;
}

Result<std::optional<ops::Fence>> read(const std::vector<std::string>& arguments) {
    return read_fence_flags(parse(arguments).fence);
}

void under_lock(test::Environment& environment, const std::string& fence = "1700000000000") {
    environment.set("AZLOCK_URL", kLock);
    if (!fence.empty()) environment.set("AZLOCK_FENCE", fence);
}

}  // namespace

TEST_CASE("a --fence without a number takes token and lock from the environment, and no argument") {
    test::Environment environment;
    under_lock(environment);
    const Parsed parsed = parse({"--fence", "SRC", "DEST"});
    CHECK(parsed.paths == std::vector<std::string>{"SRC", "DEST"});
    const auto fence = read_fence_flags(parsed.fence);
    REQUIRE(fence);
    CHECK(*fence == ops::Fence{1'700'000'000'000, kLock});
    CHECK(parse({"SRC", "DEST", "--fence"}).paths == std::vector<std::string>{"SRC", "DEST"});
}

TEST_CASE("a --fence=N goes before the environment's token, --fence-by before its lock") {
    test::Environment environment;
    CHECK(read({"--fence=7", "--fence-by", "ours"}).value() == ops::Fence{7, "ours"});
    under_lock(environment);
    CHECK(read({"--fence=7"}).value() == ops::Fence{7, kLock});
    CHECK(read({"--fence=7", "--fence-by", "ours"}).value() == ops::Fence{7, "ours"});
    CHECK(read({"--fence", "--fence-by", "ours"}).value() == ops::Fence{1'700'000'000'000, "ours"});
}

TEST_CASE("without --fence there is no fence, also under a lock") {
    test::Environment environment;
    under_lock(environment);
    const auto fence = read({"SRC"});
    REQUIRE(fence);
    CHECK(!*fence);
}

TEST_CASE("a fence that is not known completely is a usage error") {
    test::Environment environment;
    std::vector<std::string> arguments;
    SECTION("no lock around it") {
        arguments = {"--fence"};
    }
    SECTION("which lock it was is not known") {
        arguments = {"--fence=7"};
    }
    SECTION("a lock without a token") {
        arguments = {"--fence-by", "ours"};
    }
    SECTION("the lock has slots") {
        under_lock(environment, "");
        arguments = GENERATE(std::vector<std::string>{"--fence"}, std::vector<std::string>{"--fence=7"},
                             std::vector<std::string>{"--fence", "--fence-by", "ours"});
    }
    SECTION("no number") {
        under_lock(environment);
        arguments = {GENERATE("--fence=x", "--fence=-1", "--fence=1 ", "--fence=18446744073709551616")};
    }
    SECTION("no number in the environment") {
        under_lock(environment, "x");
        arguments = {"--fence"};
    }
    SECTION("a lock that no header carries") {
        arguments = {"--fence=7", "--fence-by", GENERATE("a\nb", " a", "é")};
    }
    const auto fence = read(arguments);
    REQUIRE(!fence);
    CHECK(fence.error().code == ErrorCode::usage);
    CHECK(!fence.error().message.empty());
}

}  // namespace azlock::cli
