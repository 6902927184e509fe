// Which metadata, tags and conditions a write may carry.
#include "ops/write/content_request.hpp"
#include "support/catch.hpp"

namespace azlock::ops {

TEST_CASE("a write takes one condition, and a lease id besides") {
    azure::Conditions conditions;
    conditions.lease_id = "id";
    CHECK(check_write_conditions(conditions));
    conditions.if_match = "e";
    CHECK(check_write_conditions(conditions));
    for (std::string azure::Conditions::*second :
         {&azure::Conditions::if_none_match, &azure::Conditions::if_modified_since,
          &azure::Conditions::if_unmodified_since}) {
        azure::Conditions two = conditions;
        two.*second = "x";
        const auto refused = check_write_conditions(two);
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::usage);
    }
}

TEST_CASE("metadata pairs are cut at their first '='") {
    const auto read = make_metadata({"colour=red", "note=a=b", "empty="});
    REQUIRE(read);
    CHECK(*read == azure::Metadata{{"colour", "red"}, {"note", "a=b"}, {"empty", ""}});
    CHECK(make_metadata({})->empty());
}

TEST_CASE("metadata that the service would refuse or lose is a usage error") {
    for (const std::vector<std::string>& pairs : {std::vector<std::string>{"colour"},
                                                  {"=red"},
                                                  {"1st=x"},
                                                  {"a-b=x"},
                                                  {"caf\xC3\xA9=x"},
                                                  {"a=caf\xC3\xA9"},
                                                  {"a=x\ny"},
                                                  {"a= x"},
                                                  {"a=1", "A=2"},
                                                  {"azl_writes=x"},
                                                  {"AZL_fence=1"}}) {
        CAPTURE(pairs.front());
        const auto read = make_metadata(pairs);
        REQUIRE(!read);
        CHECK(read.error().code == ErrorCode::usage);
        CHECK(read.error().message.find('\n') == std::string::npos);
    }
}

TEST_CASE("tags become the form of the header") {
    CHECK(make_tags({}).value().empty());
    CHECK(make_tags({"team=a b", "when=1+2", "empty="}).value() == "team=a%20b&when=1%2B2&empty=");
    CHECK(make_tags({std::string(128, 'n') + "=" + std::string(256, 'v')}));
    CHECK(make_tags(std::vector<std::string>(10, "a=b")));
}

TEST_CASE("tags that the service would refuse are a usage error") {
    const auto pairs =
        GENERATE(std::vector<std::string>{"colour"}, std::vector<std::string>{"=red"},
                 std::vector<std::string>{std::string(129, 'n') + "=v"},
                 std::vector<std::string>{"n=" + std::string(257, 'v')}, std::vector<std::string>{"a=b&c"},
                 std::vector<std::string>{"a=caf\xC3\xA9"}, std::vector<std::string>(11, "a=b"));
    const auto tags = make_tags(pairs);
    REQUIRE(!tags);
    CHECK(tags.error().code == ErrorCode::usage);
    CHECK(tags.error().message.starts_with("--tags: "));
}

}  // namespace azlock::ops
