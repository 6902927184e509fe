// Uploads against other writers: whole versions only, never an old one over a newer one, never a wrong report.
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

const std::string kThree = noise(2 * kSmallBlock + 100);
const std::string kPeer = noise(3 * kSmallBlock, 99);

void peer_put(Rig& rig, const std::string& content = "of a peer") {
    rig.service.put("box", "data", content);
}

}  // namespace

TEST_CASE("without a condition the last writer wins, whole, though its staged blocks were discarded") {
    Rig rig;
    const bool fresh = GENERATE(true, false);
    if (!fresh) peer_put(rig, kOldBlob);
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] { peer_put(rig); });
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.service.requests("Put Block") == 6);  // all three were discarded, all three were sent again
    CHECK(report->sent == kThree.size());
    CHECK(report->reused() == 0);
    CHECK(report->reused_blocks == 0);
    CHECK(rig.service.requests("Get Block List") == 2);
    CHECK(rig.done("Put Block List") == 1);
    CHECK(report->etag == etag_of(rig));
    check_nothing_lost(rig, 3);
}

TEST_CASE("after a peer's commit only the blocks that are missing are sent again") {
    Rig rig;
    // The peer's version holds our first block.
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] {
        peer_uploads_blocks(rig, kThree.substr(0, kSmallBlock) + kPeer);
    });
    rig.service.clear_log();
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.faulty.requests("Put Block") == 3 + 2);
}

TEST_CASE("with a condition a peer's commit between staging and ours is a conflict, and nothing of ours is there") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    SECTION("--if-none-match '*'") {
        options = only_if_absent(options);
    }
    SECTION("--if-match") {
        peer_put(rig, kOldBlob);
        options = with_if_match(options, etag_of(rig));
    }
    SECTION("--if-unmodified-since") {
        peer_put(rig, kOldBlob);
        options.conditions.if_unmodified_since = "Fri, 01 Jan 2100 00:00:00 GMT";
    }
    rig.faulty.on("Put Block List").meanwhile([&] { peer_put(rig); });
    const auto report = upload(rig, rig.file(kThree), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(!report.error().may_have_applied);
    CHECK(rig.content() == "of a peer");
    CHECK(rig.done("Put Block List") == 0);
    check_nothing_lost(rig, 3);
}

TEST_CASE("a condition that is not met is told before a block is sent") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    SECTION("--if-none-match '*'") {
        peer_put(rig, kOldBlob);
        options = only_if_absent(options);
    }
    SECTION("--if-match of another version") {
        peer_put(rig, kOldBlob);
        options = with_if_match(options, "\"0x1\"");
    }
    SECTION("--if-match where nothing is") {
        options = with_if_match(options, "\"0x1\"");
    }
    SECTION("--if-none-match of the version that is there") {
        peer_put(rig, kOldBlob);
        options.conditions.if_none_match = etag_of(rig);
    }
    const auto before = rig.content();
    const auto report = upload(rig, rig.file(kThree), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.service.operations() == std::vector<std::string>{"Get Blob Properties"});
    CHECK(rig.content() == before);
}

TEST_CASE("without a condition an upload succeeds, however often others were faster") {
    Rig rig;
    int writes = 0;
    rig.faulty.on("Put Block List").nth(1, 20).meanwhile([&] { peer_put(rig, "version " + std::to_string(++writes)); });
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(writes == 20);
    CHECK(rig.content() == kThree);
    CHECK(report->etag == etag_of(rig));
    CHECK(rig.done("Put Block List") == 1);
    CHECK(rig.clock.waits().size() >= 20);
    check_nothing_lost(rig, 3);
}

TEST_CASE("an upload without a condition against a peer who never stops gives up in the end, and may be repeated") {
    Rig rig;
    int writes = 0;
    rig.faulty.on("Put Block List").from(1).meanwhile([&] { peer_put(rig, "version " + std::to_string(++writes)); });
    azure::Call call;
    std::chrono::nanoseconds longest = ops::kRoundTime;
    SECTION("when the time for rounds is over") {}
    SECTION("before the deadline") {
        longest = std::chrono::seconds(30);
        call.deadline = rig.clock.after(longest);
    }
    const auto start = rig.clock.now();
    const auto report = upload(rig, rig.file(kThree), small_blocks(), call);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().retryable);
    CHECK(!report.error().may_have_applied);
    CHECK(rig.clock.now() - start <= longest);
    CHECK(rig.content() == "version " + std::to_string(writes));
    CHECK(rig.done("Put Block List") == 0);
    check_nothing_lost(rig, 3);
}

TEST_CASE("an upload that waits for its next round is stopped at once") {
    Rig rig;
    std::stop_source stop;
    rig.faulty.on("Put Block List").meanwhile([&] {
        peer_put(rig);
        stop.request_stop();
    });
    const auto report = upload(rig, rig.file(kThree), small_blocks(), {kNoDeadline, stop.get_token()});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(rig.content() == "of a peer");
}

TEST_CASE("with a condition, blocks that were dropped without a write are staged again, over the same version") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const auto options = with_if_match(small_blocks(), etag_of(rig));
    rig.faulty.on("Put Block List").nth(1).return_status(400, "InvalidBlockList");
    const auto report = upload(rig, rig.file(kThree), options);
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.done("Put Block List") == 1);
}

TEST_CASE("a peer who commits the same content first is no hindrance, and nothing is sent twice") {
    Rig rig;
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] { peer_uploads_blocks(rig, kThree); });
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(report->etag == etag_of(rig));
    CHECK(rig.faulty.requests("Put Block") == 3);
    CHECK(rig.faulty.requests("Get Block List") == 1);
}

TEST_CASE("a lost commit under a peer's newer version is recognised by the ring, and the peer's version stays") {
    Rig rig;
    rig.faulty.on("Put Block List").nth(1).drop_reply();
    rig.faulty.on("Put Block List").nth(2).meanwhile([&] { peer_uploads_blocks(rig, kPeer); });
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(report->recognised);
    CHECK(report->etag.empty());
    CHECK(rig.content() == kPeer);
}

TEST_CASE("a commit whose traces a peer wiped is neither success nor conflict") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    const std::string what = GENERATE("wiped", "deleted");
    CAPTURE(what);
    SECTION("without a condition") {}
    SECTION("with --if-none-match '*'") {
        options = only_if_absent(options);
    }
    rig.faulty.on("Put Block List").nth(1).silent_replay();  // because of the first copy the service refuses the second
    rig.faulty.on("Get Blob Properties").nth(2).meanwhile([&] {
        if (what == "wiped") peer_put(rig);
        if (what == "deleted") rig.service.erase("box", "data");
    });
    const auto report = upload(rig, rig.file(kThree), options);
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(report.error().hint.find("azlock show box/data") != std::string::npos);
    CHECK(rig.content() == (what == "wiped" ? std::optional<std::string>("of a peer") : std::nullopt));
}

TEST_CASE("a commit of unknown fate whose blob cannot be looked up says so") {
    Rig rig;
    peer_put(rig, kOldBlob);
    rig.faulty.on("Put Block List").from(1).drop_reply();
    rig.faulty.on("Get Blob Properties").nth(2, 6).return_status(503, "ServerBusy");
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(!report.error().hint.empty());
    CHECK(rig.content() == kThree);  // it was carried out
}

TEST_CASE("a commit that was never answered is no certain failure, though the blob is as it was") {
    Rig rig;
    peer_put(rig, kOldBlob);
    // The last attempt arrives after we have given up and looked.
    rig.faulty.on("Put Block List").nth(1, 5).lose_request();
    rig.faulty.on("Put Block List").nth(6).arrive_late(operation("Get Blob Properties"));
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(report.error().may_have_applied);
    CHECK(rig.content() == kThree);
}

TEST_CASE("a commit that arrives late does not come over a newer version") {
    Rig rig;
    peer_put(rig, kOldBlob);
    SECTION("nor over our own repeat of it") {
        rig.faulty.on("Put Block List").nth(1).arrive_late(operation("Put Block List"));
        const auto report = upload(rig, rig.file(kThree), small_blocks());
        REQUIRE(report);
        CHECK(rig.content() == kThree);
        CHECK(report->etag == etag_of(rig));
    }
    SECTION("nor over a peer's, when we had a condition") {
        rig.faulty.on("Put Block List").nth(1).arrive_late(operation("Put Block List"));
        rig.faulty.on("Put Block List").nth(2).meanwhile([&] { peer_uploads_blocks(rig, kPeer); });
        const auto report = upload(rig, rig.file(kThree), with_if_match(small_blocks(), etag_of(rig)));
        REQUIRE(!report);
        CHECK(rig.content() == kPeer);
    }
    SECTION("nor over a peer's after we had success") {
        rig.faulty.on("Put Block List").nth(1).arrive_late(lease_action("break"));
        const auto report = upload(rig, rig.file(kThree), small_blocks());
        REQUIRE(report);
        peer_uploads_blocks(rig, kPeer);
        // Any later request of ours: the late one arrives after it.
        (void)rig.us.client().break_lease(rig.blob, 0, {}, {});
        CHECK(rig.content() == kPeer);
    }
    CHECK(rig.done("Put Block List") <= 2);
}

TEST_CASE("a missing block that is staged with another size is sent again") {
    Rig rig;
    peer_put(rig, kOldBlob);
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] {
        // The right block is committed by a peer; a wrong one of the same id is staged, which "Latest" would take.
        peer_uploads_blocks(rig, kThree.substr(0, 2 * kSmallBlock));
        rig.service.stage("box", "data", rig.view().committed_ids[0], "short");
    });
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
}

TEST_CASE("faults at random among writers at random leave whole versions, and ours is written once") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 121));
    CAPTURE(seed);
    Rig rig;
    if (seed % 2 == 0) peer_put(rig, kOldBlob);
    const bool ring_aware = seed % 3 != 0;  // else the peer's tool wipes the ring
    std::mt19937_64 dice(seed);
    std::vector<std::string> history;
    const auto note = [&] {
        const std::string now = rig.content().value_or("");
        if (history.empty() || history.back() != now) history.push_back(now);
    };
    note();
    int peers = 0;
    rig.faulty.on(any_request()).from(1).with("random", [&](const FaultCall& call) -> Result<http::Response> {
        if (dice() % 12 == 0) {
            const std::string content = noise(2 * kSmallBlock, 1000 + static_cast<unsigned>(++peers));
            if (ring_aware) {
                peer_uploads_blocks(rig, content);
            } else {
                peer_put(rig, content);
            }
            note();
        }
        Error lost = make_error(ErrorCode::unavailable, "lost");
        lost.fault = TransportFault::reset;
        lost.may_have_applied = true;
        http::Request blind = call.request;
        blind.sink = nullptr;
        const auto roll = dice() % 10;
        if (roll == 0) return fail(lost);
        if (roll <= 2) (void)call.forward(blind);  // carried out: roll 1 loses the answer, roll 2 sends again
        note();
        if (roll == 1) return fail(lost);
        auto answer = call.forward(call.request);
        if (answer && roll == 2) answer->times_sent = 2;
        note();
        return answer;
    });
    const bool guarded = seed % 5 == 0 && !history.front().empty();
    const auto options = guarded ? with_if_match(small_blocks(), etag_of(rig)) : small_blocks();
    const std::string path = rig.file(kThree);
    const auto report = upload(rig, path, options);
    INFO(why(report));

    const auto ours = std::count(history.begin(), history.end(), kThree);
    CHECK(ours <= 1);
    CHECK(rig.done("Put Block List") <= static_cast<std::size_t>(peers) + 1);
    if (report) CHECK(ours == 1);
    if (!report && !report.error().may_have_applied) CHECK(ours == 0);
    if (report && !report->etag.empty()) CHECK(report->etag == etag_of(rig));
    if (report && report->etag.empty()) CHECK(history.back() != kThree);
    for (const LoggedRequest& line : rig.service.log()) CHECK(line.operation.find("Delete") == std::string::npos);
}

}  // namespace azlock::test
