// download, while the service cannot be reached.
#include "unit/cli/command_rig.hpp"

namespace azlock::test {

TEST_CASE("download rides out an outage, tells of it, and gives up in the end") {
    CommandRig rig;
    rig.service.put("box", "data", "twelve bytes");
    const std::vector<std::string> download{"download", "box/data", rig.dir.file("copy")};
    const auto with = [&](std::vector<std::string> flags) {
        std::vector<std::string> all = download;
        all.insert(all.end(), flags.begin(), flags.end());
        return all;
    };
    const BootTime start = rig.clock().now();
    const auto took = [&] { return rig.clock().now() - start; };
    SECTION("of a minute or so") {
        rig.faulty.on(any_request()).nth(1, 15).fail_before();
        const Ran ran = rig.run(download);
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(took() > std::chrono::seconds(30));
        CHECK(ran.err.find("the service cannot be reached; azlock tries again for 5 min") != std::string::npos);
        CHECK(ran.err.find("the service answers again after ") != std::string::npos);
        CHECK(ran.err.find("trying Get Blob again") == std::string::npos);
    }
    SECTION("without end: five minutes") {
        rig.faulty.on(any_request()).from(1).fail_before();
        CHECK(rig.run(download).code == 69);
        CHECK(took() >= std::chrono::minutes(5));
        CHECK(took() < std::chrono::minutes(6));
    }
    SECTION("for as long as --retry-for says") {
        rig.faulty.on(any_request()).from(1).fail_before();
        CHECK(rig.run(with({"--retry-for", "7s"})).code == 69);
        CHECK(took() >= std::chrono::seconds(7));
        CHECK(took() < std::chrono::seconds(8));
    }
    SECTION("with --retries alone: that many attempts") {
        rig.faulty.on(any_request()).from(1).fail_before();
        CHECK(rig.run(with({"--retries", "2"})).code == 69);
        CHECK(rig.faulty.requests() == 3);
    }
    SECTION("--retry-for 0 and nothing else: one attempt") {
        rig.faulty.on(any_request()).from(1).fail_before();
        CHECK(rig.run(with({"--retry-for", "0"})).code == 69);
        CHECK(rig.faulty.requests() == 1);
    }
}

}  // namespace azlock::test
