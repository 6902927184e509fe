// upload and verify, while the service cannot be reached.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("uploads and verify ride out an outage at any of their requests") {
    CommandRig rig;  // without a display, nobody but the requests waits
    const std::size_t at = GENERATE(1U, 2U, 3U, 4U);
    CAPTURE(at);
    const std::string file = rig.dir.write("source", noise(3'000'000));
    const BootTime start = rig.clock().now();
    SECTION("upload of blocks, then verify") {
        rig.faulty.on(any_request()).nth(at, 15).fail_before();
        const Ran ran = rig.run({"upload", "-q", "--block-size", "1MiB", file, "box/data"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(rig.service.content("box", "data") == noise(3'000'000));
        CHECK(rig.clock().now() - start > std::chrono::seconds(5));
        rig.faulty.clear();
        rig.faulty.on(any_request()).nth(1, 15).fail_before();
        const Ran verified = rig.run({"verify", file, "box/data"});
        CHECK(verified.code == 0);
        CHECK(verified.err.find("the service answers again after ") != std::string::npos);
    }
    SECTION("upload of a folder") {
        rig.faulty.on(any_request()).nth(at > 1 ? 2 : 1, 15).fail_before();
        const std::string other = rig.dir.write("other", "x");
        CHECK(rig.run({"upload", "-q", file, other, "box/to/"}).code == 0);
        CHECK(rig.service.content("box", "to/other") == "x");
    }
    SECTION("--retries alone limits the attempts") {
        rig.faulty.on(any_request()).from(1).fail_before();
        CHECK(rig.run({"upload", "-q", "--retries", "1", file, "box/data"}).code == 69);
        CHECK(rig.faulty.requests() <= 4);
    }
}

}  // namespace azlock::test
