// Which permissions may be needed, and what a configuration that cannot be used comes to.
#include "ops/doctor/diagnose.hpp"
#include "support/catch.hpp"

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

}  // namespace azlock::ops
