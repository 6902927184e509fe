#include <sys/resource.h>

#include "os/error_tail.hpp"
#include "support/catch.hpp"

using namespace azlock;

TEST_CASE("without a free descriptor the error of a tail names the pipe as a thing, not as a file") {
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const auto tail = os::ErrorTail::start(10);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE_FALSE(tail);
    CHECK(tail.error().message == "cannot make a pipe: too many open files");
}
