// ops/login/cached_source: azlocks that share their tokens.
#include <filesystem>
#include <functional>
#include <set>

#include <sys/stat.h>

#include "ops/login/cached_source.hpp"
#include "ops/login/token_folder.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "unit/ops/login/login_rig.hpp"

using namespace azlock;
using namespace azlock::ops;
using namespace std::chrono_literals;

namespace {

// Tells when somebody waits.
struct WaitingClock final : Clock {
    [[nodiscard]] BootTime now() const override { return clock.now(); }
    [[nodiscard]] WallTime wall() const override { return clock.wall(); }
    bool wait_until(BootTime when, std::stop_token stop) override {
        if (on_wait) on_wait();
        return clock.wait_until(when, std::move(stop));
    }
    void advance(std::chrono::nanoseconds span) { clock.advance(span); }

    test::FakeClock clock;
    std::function<void()> on_wait;
};

// What the desk of all azlocks of a test does.
struct CacheRig {
    CacheRig() { ::chmod(dir.path().c_str(), 0700); }

    // A new azlock.
    [[nodiscard]] std::unique_ptr<TokenSource> azlock(const std::string& identity = "me");
    // The token of a new azlock.
    [[nodiscard]] std::string token(const std::string& identity = "me") { return text_of(azlock(identity)); }
    [[nodiscard]] static std::string text_of(const std::unique_ptr<TokenSource>& source) {
        const auto token = source->fetch(kNoDeadline, {});
        return token ? token->bearer.reveal() : "error: " + token.error().message;
    }
    // The only token file.
    [[nodiscard]] std::string file() const {
        for (const auto& entry : std::filesystem::directory_iterator(dir.path() + "/azlock")) {
            if (entry.path().extension() != ".lock") return entry.path().string();
        }
        return {};
    }

    test::TempDir dir;
    WaitingClock clock;
    SeededRandom random{1};
    int asked = 0;
    std::chrono::nanoseconds life = 1h;
    std::optional<std::chrono::nanoseconds> refresh = {};
    std::optional<Error> error = {};
    std::function<void()> while_asked = {};
    std::vector<std::string> notes;
};

class DeskOfAll final : public TokenSource {
  public:
    DeskOfAll(CacheRig& rig, std::string identity) : rig_(rig), identity_(std::move(identity)) {}
    Result<Token> fetch(Deadline, const std::stop_token&) override {
        const BootTime asked = rig_.clock.now();
        const std::string number = std::to_string(++rig_.asked);
        if (rig_.while_asked) rig_.while_asked();
        if (rig_.error) return fail(*rig_.error);
        Token token{Secret("ey" + number), asked, asked + rig_.life, {}};
        if (rig_.refresh) token.refresh = asked + *rig_.refresh;
        return token;
    }
    [[nodiscard]] std::string describe() const override { return "the desk"; }
    [[nodiscard]] std::string identity() const override { return identity_; }

  private:
    CacheRig& rig_;
    std::string identity_;
};

std::unique_ptr<TokenSource> CacheRig::azlock(const std::string& identity) {
    return make_cached_source(std::make_unique<DeskOfAll>(*this, identity),
                              {dir.path(), clock, random, [this](const std::string& line) { notes.push_back(line); }})
        .value();
}

}  // namespace

TEST_CASE("the second azlock asks for nothing, and one of another identity for its own token") {
    CacheRig rig;
    CHECK(rig.token() == "ey1");
    rig.clock.advance(30min);
    const auto second = rig.azlock()->fetch(kNoDeadline, {});
    REQUIRE(second);
    CHECK(second->bearer.reveal() == "ey1");
    CHECK(second->from_cache);
    CHECK(second->ends == rig.clock.now() + 30min);
    CHECK(second->asked == rig.clock.now() - 30min);
    CHECK(rig.asked == 1);
    CHECK(rig.token("another tenant") == "ey2");
    CHECK(rig.token() == "ey1");
    CHECK(rig.notes.empty());
}

TEST_CASE("a token that is due is renewed by one azlock, and used as it is while it cannot be") {
    CacheRig rig;
    REQUIRE(rig.token() == "ey1");
    rig.clock.advance(56min);
    SECTION("by the next one") {
        CHECK(rig.token() == "ey2");
        CHECK(rig.token() == "ey2");
        CHECK(rig.asked == 2);
    }
    SECTION("others take the old one meanwhile") {
        std::string meanwhile;
        rig.while_asked = [&] { meanwhile = rig.token(); };
        CHECK(rig.token() == "ey2");
        CHECK(meanwhile == "ey1");
    }
    SECTION("the endpoint is down") {
        rig.error = make_error(ErrorCode::unavailable, "down");
        CHECK(rig.token() == "ey1");
        rig.clock.advance(4min);
        CHECK(rig.token() == "error: down");
        CHECK(rig.notes == std::vector<std::string>{"token cache: the token in the cache has ended"});
    }
    SECTION("a stop is a stop") {
        rig.error = stopped_by_signal();
        CHECK(rig.azlock()->fetch(kNoDeadline, {}).error().code == ErrorCode::cancelled);
    }
}

TEST_CASE("the source's own time for the next token counts for all") {
    CacheRig rig;
    rig.refresh = 10min;
    REQUIRE(rig.token() == "ey1");
    rig.clock.advance(7min);
    CHECK(rig.token() == "ey1");
    rig.clock.advance(3min);
    CHECK(rig.token() == "ey2");
}

TEST_CASE("an azlock that asks again gets another token, because the first was refused or is too old for it") {
    CacheRig rig;
    const auto source = rig.azlock();
    REQUIRE(CacheRig::text_of(source) == "ey1");
    CHECK(CacheRig::text_of(source) == "ey2");
    const auto other = rig.azlock();
    CHECK(CacheRig::text_of(other) == "ey2");
    CHECK(CacheRig::text_of(other) == "ey3");
    CHECK(CacheRig::text_of(source) == "ey3");  // somebody has renewed it since
    rig.error = make_error(ErrorCode::unavailable, "down");
    CHECK(CacheRig::text_of(source) == "error: down");
}

TEST_CASE("an azlock waits for another one that asks, and no longer than it makes sense") {
    CacheRig rig;
    std::string waited;
    SECTION("what the other one got is taken") {
        const auto folder = TokenFolder::open(rig.dir.path()).value();
        REQUIRE(rig.token() == "ey1");
        const std::string name = std::filesystem::path(rig.file()).filename();
        std::filesystem::remove(rig.file());
        auto held = folder.try_lock(name);
        REQUIRE(held);
        int waits = 0;
        rig.clock.on_wait = [&] {
            if (++waits != 20) return;
            const WallTime wall = rig.clock.wall();
            CHECK(folder.write(name, {Secret("ey-other"), wall, wall + 1h, {}}));
            held.reset();
        };
        CHECK(rig.token() == "ey-other");
        CHECK(waits == 20);
        CHECK(rig.asked == 1);
    }
    SECTION("one that hangs holds up nobody for ever") {
        rig.while_asked = [&] {
            rig.while_asked = {};
            const BootTime start = rig.clock.now();
            waited = rig.token();
            CHECK(rig.clock.now() - start >= 15s);
            CHECK(rig.clock.now() - start < 16s);
        };
        CHECK(rig.token() == "ey1");
        CHECK(waited == "ey2");
    }
    SECTION("a stop ends the wait") {
        rig.while_asked = [&] {
            std::stop_source stop;
            stop.request_stop();
            CHECK(rig.azlock()->fetch(kNoDeadline, stop.get_token()).error().code == ErrorCode::cancelled);
        };
        CHECK(rig.token() == "ey1");
    }
}

TEST_CASE("what is no token of this time is not used, and -v says why in one line") {
    CacheRig rig;
    REQUIRE(rig.token() == "ey1");
    const auto folder = TokenFolder::open(rig.dir.path()).value();
    const std::string name = std::filesystem::path(rig.file()).filename();
    const WallTime now = rig.clock.wall();
    const auto check_note = [&](const char* part) {
        CHECK(rig.token() == "ey2");
        REQUIRE(rig.notes.size() == 1);
        CHECK(rig.notes[0].find(part) != std::string::npos);
        CHECK(rig.token() == "ey2");  // it has been replaced
        CHECK(rig.notes.size() == 1);
    };
    SECTION("ended") {
        rig.clock.advance(1h);
        check_note("has ended");
    }
    SECTION("the clock was set back") {
        REQUIRE(folder.write(name, {Secret("old"), now + 1s, now + 1h, {}}));
        check_note("times that cannot be");
    }
    SECTION("a life of years") {
        REQUIRE(folder.write(name, {Secret("old"), now, now + std::chrono::days(400), {}}));
        check_note("times that cannot be");
    }
    SECTION("garbage") {
        rig.dir.write("azlock/" + name, "garbage");
        ::chmod(rig.file().c_str(), 0600);
        check_note("cannot be read");
    }
    SECTION("readable by others") {
        ::chmod(rig.file().c_str(), 0644);
        check_note("only this user can read");
    }
}

TEST_CASE("a cache that cannot be written helps nobody and harms nobody") {
    CacheRig rig;
    const auto source = rig.azlock();
    std::filesystem::remove_all(rig.dir.path() + "/azlock");
    CHECK(CacheRig::text_of(source) == "ey1");
    REQUIRE(rig.notes.size() == 1);
    CHECK(rig.notes[0].starts_with("token cache: cannot create "));
}

TEST_CASE("sources that get tokens of another identity do not share them, and no identity has a secret in it") {
    test::LoginRig rig;
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "MARKER";
    std::set<std::string> identities;
    const auto add = [&](const char* credential) {
        const auto source = choose_source(rig.options(credential)).value();
        CHECK(source->identity().find("MARKER") == std::string::npos);
        CHECK(identities.insert(source->identity()).second);
    };
    add("secret");
    rig.variables["AZURE_TENANT_ID"] = "tenant-2";
    add("secret");
    rig.variables["AZURE_CLIENT_ID"] = "client-2";
    add("secret");
    add("managed-identity");
    rig.variables["AZURE_AUTHORITY_HOST"] = "https://login.microsoftonline.us";
    add("secret");
    rig.variables["AZURE_FEDERATED_TOKEN_FILE"] = "/nowhere";
    add("workload-identity");
    rig.variables.erase("AZURE_CLIENT_ID");
    add("managed-identity");
    rig.variables["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = "http://127.0.0.1:2";
    add("managed-identity");
    rig.variables["IDENTITY_ENDPOINT"] = "http://127.0.0.1:2/msi";
    rig.variables["IMDS_ENDPOINT"] = "x";
    add("managed-identity");
    rig.variables["IDENTITY_HEADER"] = "MARKER";
    add("managed-identity");
}

TEST_CASE("a token cache is used where a source does not keep its tokens itself") {
    test::LoginRig rig;
    test::TempDir dir;
    ::chmod(dir.path().c_str(), 0700);
    rig.be_application();
    rig.variables["AZURE_CLIENT_SECRET"] = "s";
    auto options = rig.options();
    options.token_cache = true;
    const auto none = choose_source(options);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::config);
    CHECK(none.error().message.find("XDG_RUNTIME_DIR is not set") != std::string::npos);
    options.credential = "az";
    CHECK(choose_source(options));
    options.credential = "secret";
    rig.variables["XDG_RUNTIME_DIR"] = dir.path();
    rig.transport.answer(test::token_answer(200, R"({"access_token":"a","expires_in":3600})"));
    for (int i = 0; i < 3; ++i) {
        CHECK(choose_source(options).value()->fetch(kNoDeadline, {})->bearer.reveal() == "a");
    }
    CHECK(rig.transport.requests.size() == 1);
}
