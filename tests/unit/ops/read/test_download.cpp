// A download is one version of a blob, in order and whole, or an error.
#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "support/catch.hpp"
#include "unit/ops/read/download_rig.hpp"

namespace azlock::ops {
namespace {

using test::DownloadRig;
using test::FaultCall;
using test::kContent;
using test::kRange;
using test::noise;
using test::why;

}  // namespace

TEST_CASE("a blob of one range is one request") {
    DownloadRig d(noise(kRange));
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.rig.service.operations() == std::vector<std::string>{"Get Blob"});
    CHECK(d.target.bytes == noise(kRange));
    CHECK(report->bytes == kRange);
    CHECK(report->md5_checked);
    CHECK(report->properties.etag == '"' + d.rig.view().etag + '"');
}

TEST_CASE("the ranges after the first are pinned to its version") {
    DownloadRig d;
    d.options.concurrency = GENERATE(1U, 4U);
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.target.bytes == kContent);
    CHECK(report->bytes == kContent.size());
    CHECK(report->md5_checked);
    CHECK(d.rig.service.requests() == 4);
    CHECK(!d.rig.sent("Get Blob", 1).has("If-Match"));
    std::vector<std::string> asked;
    for (std::size_t n = 1; n <= 4; ++n) {
        if (n > 1) CHECK(d.rig.sent("Get Blob", n).get("If-Match") == report->properties.etag);
        asked.emplace_back(d.rig.sent("Get Blob", n).get("x-ms-range"));
    }
    std::sort(asked.begin(), asked.end());
    CHECK(asked == std::vector<std::string>{"bytes=0-999", "bytes=1000-1999", "bytes=2000-2999", "bytes=3000-3016"});
}

TEST_CASE("the bytes come in order, though the answers do not") {
    DownloadRig d(noise(40 * kRange));
    d.options.concurrency = 4;
    std::mutex mutex;
    std::condition_variable changed;
    int begun = 0;
    // The second request waits until two more have begun.
    d.rig.faulty.on("Get Blob").from(2).with("shuffle", [&](const FaultCall& call) -> Result<http::Response> {
        {
            std::unique_lock lock(mutex);
            const int mine = ++begun;
            changed.notify_all();
            if (mine == 1) changed.wait(lock, [&] { return begun >= 3; });
        }
        return call.forward(call.request);
    });
    REQUIRE(d.run());
    CHECK(d.target.bytes == noise(40 * kRange));
}

TEST_CASE("an empty blob is downloaded") {
    DownloadRig d("");
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.target.bytes.empty());
    CHECK(report->bytes == 0);
    CHECK(report->md5_checked);
    CHECK(d.rig.service.requests() == 2);
}

TEST_CASE("an empty blob that is written meanwhile is downloaded as it is then") {
    DownloadRig d("");
    d.rig.faulty.on(test::any_request()).nth(2).meanwhile([&] { d.rig.service.put("box", "data", kContent); });
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.target.bytes == kContent);
}

TEST_CASE("a blob that changes meanwhile is downloaded again from its start") {
    DownloadRig d;
    d.options.concurrency = GENERATE(1U, 4U);
    const std::string other = noise(4 * kRange, 5);
    const auto n = GENERATE(range<std::size_t>(2, 5));
    d.rig.faulty.on("Get Blob").nth(n).meanwhile([&] { d.rig.service.put("box", "data", other); });
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.target.bytes == other);
    CHECK(d.target.restarts == 1);
    CHECK(report->bytes == other.size());
    CHECK(report->properties.etag == '"' + d.rig.view().etag + '"');
}

TEST_CASE("a blob that changes again and again is given up") {
    DownloadRig d;
    int version = 0;
    d.rig.faulty.on("Get Blob").from(1).afterwards([&] {
        d.rig.service.put("box", "data", noise(3 * kRange, 100 + static_cast<unsigned>(++version)));
    });
    const auto report = d.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(report.error().message.find("changed while it was downloaded") != std::string::npos);
    CHECK(d.target.restarts == 2);
}

TEST_CASE("a pipe cannot start again when the blob changes") {
    DownloadRig d;
    d.target.can_restart = false;
    d.rig.faulty.on("Get Blob").nth(2).meanwhile([&] { d.rig.service.put("box", "data", "other"); });
    const auto report = d.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::precondition);
    CHECK(d.target.bytes == kContent.substr(0, kRange));
}

TEST_CASE("a blob that is deleted meanwhile is not found") {
    DownloadRig d;
    d.rig.faulty.on("Get Blob").nth(3).meanwhile([&] { d.rig.service.erase("box", "data"); });
    const auto report = d.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::not_found);
}

TEST_CASE("an answer that breaks off is asked for again") {
    DownloadRig d;
    const auto n = GENERATE(range<std::size_t>(1, 5));
    CAPTURE(n);
    d.rig.faulty.on("Get Blob").nth(n, 2).truncate(n == 4 ? 5 : 500);
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.target.bytes == kContent);
    CHECK(d.rig.service.requests() == 6);
}

TEST_CASE("content that does not match the stored MD5 is an error of the data") {
    DownloadRig d;
    const bool one_range = GENERATE(true, false);
    if (one_range) d.options.range_size = 1'000'000;
    d.rig.faulty.on("Get Blob").nth(1).with("damage", [](const FaultCall& call) -> Result<http::Response> {
        http::Request copy = call.request;
        copy.sink = nullptr;
        auto answer = call.forward(copy);
        if (!answer) return answer;
        std::string body = std::move(answer->body);
        answer->body.clear();
        body[3] = static_cast<char>(body[3] ^ 1);
        REQUIRE(call.request.sink->begin(*answer));
        if (auto ok = call.request.sink->write(as_bytes(body)); !ok) return fail(ok.error());
        return answer;
    });
    SECTION("and is told") {
        const auto report = d.run();
        REQUIRE(!report);
        CHECK(report.error().code == ErrorCode::data);
        CHECK(!report.error().hint.empty());
    }
    SECTION("unless nobody wants to know") {
        d.options.check_md5 = false;
        const auto report = d.run();
        REQUIRE(report);
        CHECK(!report->md5_checked);
    }
}

TEST_CASE("an answer to another question is refused, and nothing of it is written") {
    DownloadRig d;
    const auto n = GENERATE(1U, 3U);
    CAPTURE(n);
    // A service or proxy that does not know ranges, or answers with the wrong one.
    const auto answer = [&](int status, const char* range, std::string body) {
        d.rig.faulty.on("Get Blob").from(n).with("other range", [=](const FaultCall& call) -> Result<http::Response> {
            http::Response response;
            response.status = status;
            response.headers.set("x-ms-request-id", "1");
            response.headers.set("ETag", "\"0x1\"");
            if (range != nullptr) response.headers.set("Content-Range", range);
            if (!call.request.sink->begin(response)) {
                response.body = body;
                return response;
            }
            if (auto ok = call.request.sink->write(as_bytes(body)); !ok) return fail(ok.error());
            return response;
        });
    };
    SECTION("the whole blob") {
        answer(200, nullptr, kContent);
    }
    SECTION("another offset") {
        answer(206, "bytes 500-1499/3017", noise(1000));
    }
    SECTION("more than was asked for") {
        answer(206, "bytes 0-3016/3017", kContent);
    }
    SECTION("more bytes than it says") {
        answer(206, n == 1 ? "bytes 0-999/3017" : "bytes 2000-2999/3017", noise(5000));
    }
    SECTION("fewer bytes than it says") {
        answer(206, n == 1 ? "bytes 0-999/3017" : "bytes 2000-2999/3017", "few");
    }
    SECTION("no range") {
        answer(206, nullptr, noise(1000));
    }
    const auto report = d.run();
    REQUIRE(!report);
    INFO(why(report));
    CHECK(report.error().code == ErrorCode::unavailable);
    CHECK(d.target.bytes == kContent.substr(0, (n - 1) * kRange));
}

TEST_CASE("a target that fails ends the download") {
    DownloadRig d(noise(40 * kRange));
    d.options.concurrency = GENERATE(1U, 4U);
    d.target.full_at = 2 * kRange;
    const auto report = d.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::io);
    CHECK(d.target.bytes.size() == 2 * kRange);
    CHECK(d.target.restarts == 0);
    CHECK(d.rig.service.requests() <= 2 + 2 * d.options.concurrency);
}

TEST_CASE("a download that is stopped ends as stopped") {
    DownloadRig d(noise(40 * kRange));
    d.options.concurrency = GENERATE(1U, 4U);
    std::stop_source stop;
    d.rig.faulty.on("Get Blob").from(5).stop(stop);
    const auto report = d.run({kNoDeadline, stop.get_token()});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::cancelled);
    CHECK(d.rig.service.requests() < 20);
}

TEST_CASE("a missing blob is not found, and its target is not touched") {
    DownloadRig d;
    d.rig.blob.blob = "nothing";
    const auto report = d.run();
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::not_found);
    CHECK(d.target.bytes.empty());
    CHECK(d.target.restarts == 0);
}

TEST_CASE("with little memory for many at once the ranges are smaller, down to one MiB") {
    DownloadRig d;
    const std::string content(5 * kSmallestRange, 'x');
    d.rig.service.put("box", "data", content);
    d.options.range_size = 4 * kSmallestRange;
    d.options.memory = 4 * kSmallestRange;
    const auto [at_once, first] = GENERATE(std::pair{1U, 4U}, std::pair{2U, 2U}, std::pair{3U, 1U}, std::pair{99U, 1U});
    d.options.concurrency = at_once;
    const auto report = d.run();
    INFO(why(report));
    REQUIRE(report);
    CHECK(d.target.bytes == content);
    CHECK(d.rig.sent("Get Blob", 1).get("x-ms-range") == "bytes=0-" + std::to_string(first * kSmallestRange - 1));
}

}  // namespace azlock::ops
