#include "base/name_value.hpp"
#include "support/catch.hpp"

namespace azlock {

TEST_CASE("a pair is cut at its first '=', and an error names the flag, the text and the form") {
    using Pair = std::pair<std::string, std::string>;
    CHECK(read_pair("--owner", "note=a=b", "KEY=VALUE").value() == Pair("note", "a=b"));
    CHECK(read_pair("--owner", "run=", "KEY=VALUE").value() == Pair("run", ""));
    for (const char* text : {"", "plain", "=x", "="}) {
        CAPTURE(text);
        const auto read = read_pair("--owner", text, "KEY=VALUE");
        REQUIRE(!read);
        CHECK(read.error().code == ErrorCode::usage);
        CHECK(read.error().message == "--owner: '" + std::string(text) + "' is not of the form KEY=VALUE");
    }
    CHECK(read_pair("--tags", "\x1b", "NAME=VALUE").error().message == "--tags: '\\x1B' is not of the form NAME=VALUE");
}

}  // namespace azlock
