// Either the bytes of the file are committed, or nothing: changes, damage, refusals, stops.
#include <fstream>

#include <unistd.h>

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "ops/write/block_id.hpp"
#include "support/fake_auth.hpp"
#include "unit/ops/upload/upload_rig.hpp"

namespace azlock::test {
namespace {

const std::string kThree = noise(2 * kSmallBlock + 100);

void overwrite(const std::string& path, std::size_t at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
}

// Sends the request with its first byte changed.
Result<http::Response> damaged(const FaultCall& call) {
    http::Request copy = call.request;
    std::string bytes(copy.content_length(), '\0');
    (void)copy.body->read_at(0, std::as_writable_bytes(std::span(bytes)));
    bytes[0] = static_cast<char>(bytes[0] ^ 1);
    copy.body = http::make_body(std::move(bytes));
    return call.forward(copy);
}

Match with_crc64() {
    return [](const http::Request& request) { return request.headers.has("x-ms-content-crc64"); };
}

}  // namespace

TEST_CASE("a file that changes during its upload is an error of the data, and nothing is committed") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string path = rig.file(kThree);
    SECTION("between the hashing of a block and its sending") {
        rig.faulty.on("Put Block").nth(2).meanwhile([&] { overwrite(path, kSmallBlock + 7, "x"); });
    }
    SECTION("in a block that was not hashed yet") {
        rig.faulty.on("Put Block").nth(1).meanwhile([&] { overwrite(path, kSmallBlock + 7, "x"); });
    }
    SECTION("in a block that was sent already") {
        rig.faulty.on("Put Block").nth(3).meanwhile([&] { overwrite(path, 7, "x"); });
    }
    SECTION("after the last block") {
        rig.faulty.on("Put Block").nth(3).afterwards([&] { overwrite(path, 7, "x"); });
    }
    SECTION("with its old time stamp put back") {
        rig.faulty.on("Put Block").nth(3).afterwards([&] {
            overwrite(path, 7, "x");
            Rig::make_old(path);
        });
    }
    SECTION("by being cut while a block is sent") {
        rig.faulty.on("Put Block").nth(2).meanwhile([&] { REQUIRE(truncate(path.c_str(), kSmallBlock + 5) == 0); });
    }
    SECTION("by being cut before a block is read") {
        rig.faulty.on("Put Block").nth(1).afterwards([&] { REQUIRE(truncate(path.c_str(), 5) == 0); });
    }
    SECTION("by growing") {
        rig.faulty.on("Put Block").nth(3).afterwards([&] {
            REQUIRE(truncate(path.c_str(), static_cast<off_t>(kThree.size() + 1)) == 0);
        });
    }
    const auto report = upload(rig, path, small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::data);
    CHECK(report.error().message.find("changed while it was read") != std::string::npos);
    CHECK(rig.service.requests("Put Block List") == 0);
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("a file that changes while its MD5 is still computed is an error of the data, and no MD5 is committed") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string path = rig.file(kThree);
    const auto source = ops::SourceFile::open(path).value();
    const ops::UploadOptions options = small_blocks();
    const ops::UploadTarget to(rig.us.client(), rig.blob, options);
    const auto plan = ops::PlanTag::make(ops::CutKind::fixed, ops::HashKind::sha256, kSmallBlock);
    const auto blocks = ops::make_file_blocks(source, plan).value();
    ops::ConcurrencyLimit concurrency(1);
    ops::CommitHooks hooks;
    hooks.content_md5 = [&] {  // it is slower than the blocks
        overwrite(path, 7, "x");
        return Result<std::string>(base64_encode(md5(as_bytes("some of both"))));
    };
    auto start = ops::begin_blocks(to, {}).value();
    const auto report = ops::upload_blocks(to, std::move(start), *blocks, {concurrency, {}}, hooks, {});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::data);
    CHECK(rig.service.requests("Put Block List") == 0);
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("the MD5 of a file of several blocks is stored, and a stop ends its computation") {
    Rig rig;
    ops::UploadOptions options = small_blocks();
    options.put_md5 = true;
    SECTION("stored") {
        REQUIRE(upload(rig, rig.file(kThree), options));
        CHECK(rig.view().properties.content_md5 == base64_encode(md5(as_bytes(kThree))));
    }
    SECTION("stopped") {
        std::stop_source stop;
        rig.faulty.on("Put Block").nth(3).afterwards([&] { stop.request_stop(); });
        const auto report = upload(rig, rig.file(kThree), options, {kNoDeadline, stop.get_token()});
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::cancelled);
        CHECK(rig.service.requests("Put Block List") == 0);
    }
}

TEST_CASE("a file that changes before its blocks are staged again is an error of the data") {
    Rig rig;
    const std::string path = rig.file(kThree);
    rig.faulty.on("Put Block List").nth(1).meanwhile([&] {
        rig.service.put("box", "data", "of a peer");
        overwrite(path, 7, "x");
    });
    const auto report = upload(rig, path, small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::data);
    CHECK(rig.done("Put Block List") == 0);
    CHECK(rig.content() == "of a peer");
}

TEST_CASE("a block that is damaged on its way is sent again") {
    const std::string account = GENERATE(kRigAccount, kFakeAccount);  // CRC64 and MD5
    Rig rig({}, account);
    rig.faulty.on("Put Block").nth(2, 2).with("damage", damaged);
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    const auto log = rig.service.log();
    const std::string code = account == kFakeAccount ? "Md5Mismatch" : "Crc64Mismatch";
    CHECK(std::count_if(log.begin(), log.end(), [&](const auto& line) { return line.service_code == code; }) == 2);
}

TEST_CASE("a mismatch in the words of the emulator is one, too") {
    Rig rig({}, kFakeAccount);
    rig.faulty.on("Put Block").nth(2).return_status(400, "InvalidOperation");
    REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    CHECK(rig.content() == kThree);
}

TEST_CASE("a block that is damaged again and again is an error of the data, and nothing is committed") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.faulty.on("Put Block").from(1).with("damage", damaged);
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::data);
    CHECK(rig.service.requests("Put Block") == 3);
    CHECK(rig.service.requests("Put Block List") == 0);
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("where CRC64 is refused, MD5 takes its place for the rest of the upload") {
    Rig rig;
    int status = 0;
    std::string code;
    SECTION("not a feature of this service") {
        status = 500;
        code = "FeatureNotSupported";
    }
    SECTION("not a header of this version") {
        status = 400;
        code = "UnsupportedHeader";
    }
    SECTION("not a value of this header") {
        status = 400;
        code = "InvalidHeaderValue";
    }
    rig.faulty.on(with_crc64(), "CRC64").from(1).return_status(status, code);
    const auto report = upload(rig, rig.file(kThree), small_blocks());
    INFO(why(report));
    REQUIRE(report);
    CHECK(rig.content() == kThree);
    CHECK(rig.faulty.requests("Put Block") == 4);  // the first one was sent again
    for (std::size_t n = 1; n <= 3; ++n) CHECK(rig.sent("Put Block", n).has("Content-MD5"));
}

TEST_CASE("the emulator is not asked for CRC64") {
    Rig rig({}, kFakeAccount);
    REQUIRE(upload(rig, rig.file(kThree), small_blocks()));
    CHECK(rig.service.requests("Put Block") == 3);
    for (std::size_t n = 1; n <= 3; ++n) CHECK(rig.sent("Put Block", n).has("Content-MD5"));
}

TEST_CASE("staged blocks of another tool are named as the reason, and stay") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    rig.service.stage("box", "data", "QUJD", "of another tool");
    const auto report = upload(rig, rig.file(kThree), small_blocks(4));
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(rig.service.requests("Put Block") == 0);
    CHECK(report.error().message.find("another tool") != std::string::npos);
    CHECK(!report.error().hint.empty());
    CHECK(rig.view().staged_ids == std::vector<std::string>{"QUJD"});
    CHECK(rig.content() == kOldBlob);
}

TEST_CASE("an upload that is stopped leaves its staged blocks and the old blob") {
    const std::size_t concurrency = GENERATE(1U, 4U);
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    std::stop_source stop;
    rig.faulty.on("Put Block").from(5).stop(stop);
    const auto report =
        upload(rig, rig.file(noise(20 * kSmallBlock)), small_blocks(concurrency), {kNoDeadline, stop.get_token()});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(rig.content() == kOldBlob);
    CHECK(rig.view().staged_ids.size() >= 5 - (concurrency - 1));
    CHECK(rig.view().staged_ids.size() < 20);
    CHECK(rig.service.requests("Put Block List") == 0);
    CHECK(rig.done("Delete Blob") == 0);
}

TEST_CASE("a commit during which we are stopped ends as stopped, and says that it may be in") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    std::stop_source stop;
    rig.faulty.on("Put Block List").with("stop", [&](const FaultCall& call) -> Result<http::Response> {
        (void)call.forward(call.request);
        stop.request_stop();
        Error error = make_error(ErrorCode::cancelled, "stopped");
        error.may_have_applied = true;
        return fail(error);
    });
    const auto report = upload(rig, rig.file(kThree), small_blocks(), {kNoDeadline, stop.get_token()});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(report.error().may_have_applied);
    CHECK(rig.content() == kThree);
}

TEST_CASE("a stop while we find out what became of the commit ends as stopped, too") {
    Rig rig;
    std::stop_source stop;
    rig.faulty.on("Put Block List").nth(1).silent_replay();
    rig.faulty.on("Get Blob Properties").nth(2).with("stop", [&](const FaultCall&) -> Result<http::Response> {
        stop.request_stop();
        return fail(ErrorCode::cancelled, "stopped");
    });
    const auto report = upload(rig, rig.file(kThree), small_blocks(), {kNoDeadline, stop.get_token()});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(report.error().may_have_applied);
}

TEST_CASE("the old blob is whole after every upload that fails") {
    Rig rig;
    rig.service.put("box", "data", kOldBlob);
    const std::string operation_name = GENERATE("Get Blob Properties", "Put Block", "Put Block List");
    const std::size_t n = operation_name == "Put Block" ? 2 : 1;
    CAPTURE(operation_name);
    auto& rule = rig.faulty.on(operation_name).from(n);
    ErrorCode expected = ErrorCode::unavailable;
    azure::Call call;
    SECTION("refused") {
        rule.return_status(403, "AuthenticationFailed");
        expected = ErrorCode::auth;
    }
    SECTION("not understood") {
        rule.return_status(400, "InvalidInput");
        expected = ErrorCode::usage;
    }
    SECTION("failing for ever") {
        rule.return_status(500, "InternalError");
    }
    SECTION("busy for ever") {
        rule.return_status(503, "ServerBusy");
    }
    SECTION("no connection") {
        rule.fail_before();
    }
    SECTION("no answer") {
        rule.lose_request();
    }
    SECTION("no answer until the deadline") {
        rule.stall(false);
        call.deadline = rig.clock.after(std::chrono::seconds(90));
    }
    SECTION("something else in between") {
        http::Response page;
        page.status = 200;
        page.headers.set("Content-Type", "text/html");
        page.body = "<html>sign in</html>";
        rule.return_response(page);
    }
    const auto report = upload(rig, rig.file(kThree), small_blocks(), call);
    REQUIRE(!report);
    INFO(why(report));
    CHECK(report.error().code == expected);
    CHECK(rig.content() == kOldBlob);
    CHECK(rig.view().committed_ids.empty());
    CHECK(rig.done("Put Block List") == 0);
    check_nothing_lost(rig, 3);
    if (call.deadline != kNoDeadline) CHECK(rig.clock.now() <= call.deadline);
}

}  // namespace azlock::test
