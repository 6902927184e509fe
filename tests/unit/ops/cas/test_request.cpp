// What a user asks of an update: exactly one source of the new content, and the limits that hold without a wish.
#include "base/encoding.hpp"
#include "ops/cas/request.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

Result<std::string> read(const std::string& file, std::uint64_t max_size) {
    if (file == "missing") return fail(ErrorCode::input_missing, "there is no such file");
    return file + " of at most " + std::to_string(max_size);
}

CasRequest adding() {
    CasRequest request;
    request.add = "1";
    return request;
}

std::string made_from(const CasRequest& request, const std::string& old) {
    const auto transform = make_transform(request, read);
    REQUIRE(transform);
    CasInput input;
    input.exists = true;
    input.content = as_bytes(old);
    return (*transform)(input, {}).value().content;
}

ErrorCode refused(const CasRequest& request) {
    const auto options = make_cas_options(request, read);
    REQUIRE(!options);
    return options.error().code;
}

}  // namespace

TEST_CASE("there are twenty tries, or a time, or what the user says") {
    CasRequest request = adding();
    CHECK(make_cas_options(request, read)->max_tries == 20);
    request.wait = std::chrono::seconds(30);
    CHECK(!make_cas_options(request, read)->max_tries);
    CHECK(make_cas_options(request, read)->wait == std::chrono::seconds(30));
    request.options.max_tries = 3;
    CHECK(make_cas_options(request, read)->max_tries == 3);
}

TEST_CASE("content for a missing blob means that it is created, within the largest size") {
    CasRequest request = adding();
    CHECK(!make_cas_options(request, read)->create);
    request.initial = "file";
    request.max_size = 17;
    const auto options = make_cas_options(request, read);
    CHECK(options->create);
    CHECK(options->initial == "file of at most 17");
    CHECK(options->max_size == 17);
    request.initial = "missing";
    CHECK(refused(request) == ErrorCode::input_missing);
    request.max_size = 4001ULL * 1024 * 1024;
    CHECK(refused(request) == ErrorCode::usage);
}

TEST_CASE("only a command may take longer than a lease lasts") {
    CasRequest request = adding();
    CHECK(!make_cas_options(request, read)->long_turns);
    request.add.clear();
    request.command.argv = {"cat"};
    CHECK(make_cas_options(request, read)->long_turns);
}

TEST_CASE("the new content comes from exactly one source") {
    CHECK(refused({}) == ErrorCode::usage);
    CasRequest request = adding();
    SECTION("with a command") {
        request.command.argv = {"cat"};
    }
    SECTION("with a file") {
        request.from = "file";
    }
    SECTION("with a line") {
        request.append_line = "";
    }
    SECTION("with a merge patch") {
        request.merge_patch = "file";
    }
    SECTION("with a JSON patch") {
        request.json_patch = "file";
    }
    SECTION("a command without a name") {
        request.add.clear();
        request.command.argv = {""};
    }
    CHECK(refused(request) == ErrorCode::usage);
}

TEST_CASE("each source makes its update") {
    CHECK(made_from(adding(), "41") == "42");
    CasRequest line;
    line.append_line = "two";
    CHECK(made_from(line, "one\n") == "one\ntwo\n");
    CasRequest file;
    file.from = "file";
    file.max_size = 99;
    CHECK(made_from(file, "old") == "file of at most 99");
}

TEST_CASE("a source that cannot be used is an error") {
    CasRequest request;
    SECTION("no number") {
        request.add = "one";
    }
    SECTION("two lines") {
        request.append_line = GENERATE(as<std::string>{}, "a\nb", "a\r");
    }
    const auto transform = make_transform(request, read);
    REQUIRE(!transform);
    CHECK(transform.error().code == ErrorCode::usage);
    request = {};
    request.json_patch = "missing";
    CHECK(make_transform(request, read).error().code == ErrorCode::input_missing);
    request.json_patch = "no JSON";
    CHECK(make_transform(request, read).error().code == ErrorCode::data);
}

}  // namespace azlock::ops
