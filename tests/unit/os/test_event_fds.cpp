#include <sys/timerfd.h>

#include "os/event_fds.hpp"
#include "support/catch.hpp"

using namespace azlock;

TEST_CASE("the watch for steps of the clock does not end in 2038") {
    const os::ClockStepWatch watch;
    itimerspec left{};
    REQUIRE(timerfd_gettime(watch.fd(), &left) == 0);
    CHECK(left.it_value.tv_sec > 100LL * 365 * 24 * 3600);
}
