// Counters and lines: line ends stay as they are, and numbers do not wrap around.
#include "ops/cas/transform_text.hpp"
#include "support/catch.hpp"

namespace azlock::ops {
namespace {

Result<CasOutput> made_by(const CasTransform& transform, const std::string& content) {
    CasInput input;
    input.exists = true;
    input.content = as_bytes(content);
    return transform(input, {});
}

std::string sum(const std::string& content, std::int64_t amount) {
    const auto out = made_by(add_integer(amount), content);
    return out ? out->content : std::string(to_string(out.error().code));
}

}  // namespace

TEST_CASE("a counter is added to, and keeps its line end") {
    struct Case {
        const char* content;
        std::int64_t amount;
        const char* result;
    };
    const Case table[] = {
        {"41", 1, "42"},
        {"41\n", 1, "42\n"},
        {"41\r\n", 1, "42\r\n"},
        {"", 5, "5"},
        {"\n", 5, "data"},
        {"-3", 3, "0"},
        {"+3", -4, "-1"},
        {"007", 1, "8"},
        {"9223372036854775806", 1, "9223372036854775807"},
        {"9223372036854775807", 1, "data"},
        {"-9223372036854775808", -1, "data"},
        {"9223372036854775808", -1, "data"},
        {"4 1", 1, "data"},
        {" 41", 1, "data"},
        {"41\n\n", 1, "data"},
        {"4.0", 1, "data"},
        {"+-4", 1, "data"},
        {"0x10", 1, "data"},
    };
    for (const Case& row : table) {
        CAPTURE(row.content, row.amount);
        CHECK(sum(row.content, row.amount) == row.result);
    }
}

TEST_CASE("a counter's new value is told without its line end") {
    CHECK(made_by(add_integer(1), "41\n")->value == 42);
}

TEST_CASE("content that is no number is shown, but not all of it") {
    const auto out = made_by(add_integer(1), std::string(5000, 'x') + "\x1b[31m");
    REQUIRE(!out);
    CHECK(out.error().message.size() < 200);
    CHECK(out.error().message.find('\x1b') == std::string::npos);
}

TEST_CASE("a line goes to the end, after a line end of the kind that is there") {
    const auto with_line = [](const std::string& content) { return made_by(append_line("new"), content)->content; };
    CHECK(with_line("") == "new\n");
    CHECK(with_line("a\nb\n") == "a\nb\nnew\n");
    CHECK(with_line("a\nb") == "a\nb\nnew\n");
    CHECK(with_line("a\r\nb\r\n") == "a\r\nb\r\nnew\r\n");
    CHECK(with_line("a\r\nb") == "a\r\nb\r\nnew\r\n");
    CHECK(with_line("\n") == "\nnew\n");
    CHECK(made_by(append_line(""), "a\n")->content == "a\n\n");
}

}  // namespace azlock::ops
