// Which permissions may be needed, and what a configuration that cannot be used comes to.
#include "ops/doctor/diagnose.hpp"
#include "support/catch.hpp"
#include "support/fake_clock.hpp"

namespace azlock::ops {

TEST_CASE("the permissions that are needed are a list of known names") {
    using Names = std::set<std::string>;
    CHECK(read_permissions("read, list").value() == Names{"list", "read"});
    CHECK(read_permissions("none").value() == Names{"none"});
    for (const char* text : {"everything", "read,", "READ", ""}) {
        CAPTURE(text);
        const auto read = read_permissions(text);
        REQUIRE(!read);
        CHECK(read.error().code == ErrorCode::usage);
        CHECK(read.error().hint.find("create_container") != std::string::npos);
    }
}

TEST_CASE("a configuration that cannot be used is a finding, but a target that cannot be parsed is an error") {
    const auto found = diagnose(fail(ErrorCode::config, "no account is known"), {});
    REQUIRE(found);
    REQUIRE(found->failure() != nullptr);
    CHECK(found->checks.size() == 1);
    CHECK(found->failure()->name == "configuration");
    CHECK(found->failure()->detail == "no account is known");
    CHECK(found->failure()->error->code == ErrorCode::config);
    CHECK(diagnose(fail(ErrorCode::usage, "no target"), {}).error().code == ErrorCode::usage);
}

TEST_CASE("a test blob needs a container, and without one nothing is examined") {
    test::FakeClock clock;
    const FirstAnswer answer(clock);
    ExaminedTarget account{
        {},     azure::Credential::anonymous(),
        {},     {},
        {},     {},
        {},     []() -> Result<azure::BlobClient*> { return fail(ErrorCode::internal, "it was examined"); },
        answer, [] { return azure::Call(); },
        clock};
    DoctorOptions options;
    options.write = true;
    const auto refused = diagnose(account, options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message == "--write needs a TARGET");
}

}  // namespace azlock::ops
