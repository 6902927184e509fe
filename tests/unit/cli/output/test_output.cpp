// Errors as people and programs read them: one line, everything that helps, no secret.
#include <algorithm>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error_text.hpp"
#include "base/file.hpp"
#include "cli/output/output.hpp"
#include "support/catch.hpp"

namespace azlock::cli {
namespace {

using Parsed = nlohmann::ordered_json;

constexpr const char* kSecret = "c2VjcmV0LXNpZ25hdHVyZQ==";

Error whole_error() {
    Error error = make_error(ErrorCode::precondition, "the blob already exists", "choose another name");
    error.operation = "Put Blob";
    error.target = "box/data";
    error.http_status = 409;
    error.service_code = "BlobAlreadyExists";
    error.request_id = "r-1";
    error.client_request_id = "c-1";
    error.may_have_applied = true;
    return error;
}

bool one_line(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; });
}

}  // namespace

TEST_CASE("an error says what failed, on what, with the service's code and request id, and what to do") {
    CHECK(error_text(whole_error()) ==
          "box/data: the blob already exists (Put Blob, HTTP 409 BlobAlreadyExists, request id r-1); choose another "
          "name");
}

TEST_CASE("an error of our own has no empty brackets") {
    CHECK(error_text(make_error(ErrorCode::usage, "no command was given")) == "no command was given");
    Error error = make_error(ErrorCode::input_missing, "cannot open 'x': no such file");
    error.target = "x";
    CHECK(error_text(error) == "cannot open 'x': no such file");  // the target is not named twice
    error.http_status = 503;
    CHECK(error_text(error) == "cannot open 'x': no such file (HTTP 503)");
}

TEST_CASE("an error as JSON has every key, with null for what there is not") {
    const auto full = Parsed::parse(error_json(whole_error()).dump());
    CHECK(full.dump() ==
          R"({"code":"precondition","message":"the blob already exists","http_status":409,)"
          R"("service_code":"BlobAlreadyExists","operation":"Put Blob","request_id":"r-1","client_request_id":"c-1",)"
          R"("target":"box/data","retryable":false,"may_have_applied":true,"hint":"choose another name"})");
    const auto empty = Parsed::parse(error_json(make_error(ErrorCode::usage, "x")).dump());
    CHECK(empty.size() == full.size());
    for (const char* key :
         {"http_status", "service_code", "operation", "request_id", "client_request_id", "target", "hint"}) {
        CAPTURE(key);
        CHECK(empty.at(key).is_null());
    }
}

TEST_CASE("an error is one line without control characters, whatever is in it") {
    Error error = whole_error();
    error.message = "bad\nname\x1b[31m";
    error.target = "box/a\rb\x07";
    error.service_code = "Code\n";
    error.request_id = "id\x7f";
    error.hint = "look\n\nhere\xff";
    CHECK(one_line(error_text(error)));
    CHECK(error_text(error).find("\\x1B") != std::string::npos);
    const std::string dumped = error_json(error).dump();
    CHECK(one_line(dumped));
    CHECK(Parsed::parse(dumped).at("message") == "bad\\x0Aname\\x1B[31m");
}

TEST_CASE("an error holds no secret, whichever part carries one") {
    for (const std::string& text :
         {"https://a.blob.core.windows.net/c/b?sv=1&sig=" + std::string(kSecret) + "&se=2",
          "AccountName=a;AccountKey=" + std::string(kSecret) + ";", "SharedAccessSignature=" + std::string(kSecret),
          "Authorization: SharedKey a:" + std::string(kSecret), "Bearer " + std::string(kSecret)}) {
        Error error = whole_error();
        error.message = error.target = error.hint = error.service_code = error.request_id = text;
        CHECK(error_text(error).find(kSecret) == std::string::npos);
        CHECK(error_json(error).dump().find(kSecret) == std::string::npos);
    }
}

TEST_CASE("messages that nobody reads are dropped by a command that must go on, and the next one says so") {
    const Pipe pipe = make_pipe();
    REQUIRE(fcntl(pipe.write_end.get(), F_SETPIPE_SZ, 4096) == 4096);
    const std::string filling(4096, '.');
    REQUIRE(write(pipe.write_end.get(), filling.data(), filling.size()) == 4096);
    const Fd saved(dup(STDERR_FILENO));
    dup2(pipe.write_end.get(), STDERR_FILENO);
    Output output({});
    output.must_go_on();
    const auto read_back = [&] {
        std::string out(8192, ' ');
        const ssize_t size = read(pipe.read_end.get(), out.data(), out.size());
        return out.substr(0, static_cast<std::size_t>(std::max(size, ssize_t{0})));
    };
    output.notice("first");
    output.notice("second");
    const std::string filled = read_back();
    output.notice("third");
    const std::string third = read_back();
    output.notice("fourth");
    const std::string fourth = read_back();
    dup2(saved.get(), STDERR_FILENO);
    CHECK(filled == filling);
    CHECK(third == "azlock: 2 messages were dropped, because nobody read standard error\nazlock: third\n");
    CHECK(fourth == "azlock: fourth\n");
}

}  // namespace azlock::cli
