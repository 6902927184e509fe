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
    SECTION("with --retries alone the notice tells how often, not how long") {
        rig.faulty.on(any_request()).from(1).fail_before();
        const Ran ran = rig.run(with({"--retries", "8"}));
        CHECK(ran.err.find("azlock tries again up to 8 times: ") != std::string::npos);
        CHECK(ran.err.find("5 min") == std::string::npos);
    }
    SECTION("--retry-for 0 and nothing else: one attempt") {
        rig.faulty.on(any_request()).from(1).fail_before();
        CHECK(rig.run(with({"--retry-for", "0"})).code == 69);
        CHECK(rig.faulty.requests() == 1);
    }
}

TEST_CASE("download --follow rides out an outage, and ends only with the deadline or a refusal") {
    CommandRig rig;
    Actor peer(rig.service, rig.clock(), 98);
    const azure::BlobAddress log{"box", "log", {}};
    azure::PutBlobOptions append_blob;
    append_blob.blob_type = "AppendBlob";
    REQUIRE(peer.client().put_blob(log, nullptr, append_blob, {}));
    REQUIRE(peer.client().append_block(log, http::make_body("one\n"), {}, {}));
    const BootTime start = rig.clock().now();
    SECTION("it goes on, and prints each byte once") {
        rig.faulty.on("Get Blob Properties").nth(2, 20).fail_before();
        rig.faulty.on("Get Blob Properties").nth(22).meanwhile([&] {
            REQUIRE(peer.client().append_block(log, http::make_body("two\n"), {}, {}));
            REQUIRE(peer.client().seal(log, {}, {}, {}));
        });
        const Ran ran = rig.run({"download", "box/log", "--follow"});
        INFO(ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.out == "one\ntwo\n");
        CHECK(ran.err.find("the service cannot be reached; azlock goes on when it answers again: ") !=
              std::string::npos);
        CHECK(ran.err.find("the service answers again after ") != std::string::npos);
        CHECK(rig.clock().now() - start > std::chrono::minutes(1));
    }
    SECTION("there is no connection until --timeout: 69") {
        rig.faulty.on(any_request()).from(2).fail_before();
        const Ran ran = rig.run({"download", "box/log", "--follow", "--timeout", "30m"});
        INFO(ran.err);
        CHECK(ran.code == 69);
        CHECK(rig.clock().now() - start >= std::chrono::minutes(30));
        CHECK(rig.clock().now() - start < std::chrono::minutes(31));
    }
    SECTION("the credential is refused: 77, at once") {
        rig.faulty.on(any_request()).from(3).return_status(403, "AuthenticationFailed");
        const Ran ran = rig.run({"download", "box/log", "--follow"});
        CHECK(ran.code == 77);
        CHECK(ran.out == "one\n");
        CHECK(ran.err.find("AuthenticationFailed") != std::string::npos);
        CHECK(rig.clock().now() - start < std::chrono::seconds(10));
    }
}

}  // namespace azlock::test
