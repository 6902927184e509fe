// base/glob: what patterns match, and what they never match.
#include <ctime>
#include <string>

#include "base/glob.hpp"
#include "support/catch.hpp"

using namespace azlock;

namespace {

bool matches(std::string_view pattern, std::string_view path, bool is_directory = false) {
    const auto glob = Glob::parse(pattern);
    REQUIRE(glob);
    return glob->matches(path, is_directory);
}

// The definition of a match: tries all ways. Too slow for more than a few characters.
bool slowly(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() == '*') {
        return slowly(pattern.substr(1), text) || (!text.empty() && slowly(pattern, text.substr(1)));
    }
    if (text.empty()) return false;
    return (pattern.front() == '?' || pattern.front() == text.front()) && slowly(pattern.substr(1), text.substr(1));
}

std::string word(unsigned number, std::string_view alphabet) {
    std::string text;
    for (; number > 0; number /= static_cast<unsigned>(alphabet.size())) text += alphabet[number % alphabet.size()];
    return text;
}

}  // namespace

TEST_CASE("a pattern without a slash matches the last part at any depth") {
    CHECK(matches("*.o", "a.o"));
    CHECK(matches("*.o", "deep/down/a.o"));
    CHECK(matches("*.o", ".o"));
    CHECK(!matches("*.o", "a.o/b"));
    CHECK(!matches("*.o", "a.obj"));
    CHECK(matches("node_modules", "a/node_modules", true));
    CHECK(matches("**", "any/thing"));
}

TEST_CASE("a pattern with a slash matches the whole path and stars stay within a part") {
    CHECK(matches("src/*.c", "src/a.c"));
    CHECK(!matches("src/*.c", "src/deep/a.c"));
    CHECK(!matches("src/*.c", "other/src/a.c"));
    CHECK(matches("/a.c", "a.c"));
    CHECK(matches("./a.c", "a.c"));
    CHECK(!matches("/a.c", "src/a.c"));
    CHECK(!matches("a?c", "a/c"));
    CHECK(!matches("*/b", "b"));
}

TEST_CASE("two stars as a part match any number of parts") {
    CHECK(matches("**/a.c", "a.c"));
    CHECK(matches("**/a.c", "x/y/a.c"));
    CHECK(matches("a/**/z", "a/z"));
    CHECK(matches("a/**/z", "a/b/c/z"));
    CHECK(!matches("a/**/z", "b/z"));
    CHECK(!matches("a/**/z", "a/b/zz"));
    CHECK(matches("a/**/m/**/z", "a/m/x/m/y/z"));
    CHECK(!matches("a/**/m/**/z", "a/x/y/z"));
    CHECK(matches("logs/**", "logs/a"));
    CHECK(matches("logs/**", "logs/a/b"));
    CHECK(!matches("logs/**", "logs", true));
    CHECK(!matches("logs/**", "log/a"));
    CHECK(matches("a**z", "abcz"));
    CHECK(!matches("x/a**z", "x/a/z"));
}

TEST_CASE("a slash at the end matches directories only") {
    CHECK(matches("build/", "build", true));
    CHECK(matches("build/", "x/build", true));
    CHECK(!matches("build/", "build", false));
    CHECK(matches("a/build/", "a/build", true));
    CHECK(!matches("a/build/", "x/a/build", true));
}

TEST_CASE("sets hold single characters and ranges and can be negated") {
    CHECK(matches("[a-c]x", "bx"));
    CHECK(!matches("[a-c]x", "dx"));
    CHECK(matches("[!a-c]x", "dx"));
    CHECK(!matches("[^a-c]x", "bx"));
    CHECK(matches("[]a]", "]"));
    CHECK(matches("[!]a]", "b"));
    CHECK(!matches("[!]a]", "]"));
    CHECK(matches("[a-]", "-"));
    CHECK(matches("[-a]", "-"));
    CHECK(matches("[\\]]", "]"));
    CHECK(matches("[*?]", "*"));
    CHECK(!matches("[*?]", "a"));
    CHECK(!matches("[!a]", ""));
    CHECK(matches("[0-9][0-9].log", "x/42.log"));
}

TEST_CASE("a backslash takes the special meaning from what follows") {
    CHECK(matches("\\*", "*"));
    CHECK(!matches("\\*", "a"));
    CHECK(matches("a\\?", "a?"));
    CHECK(matches("\\[a]", "[a]"));
    CHECK(matches("a\\\\b", "a\\b"));
    CHECK(matches("\\!x", "!x"));
}

TEST_CASE("a character of UTF-8 is one character and a stray byte is one as well") {
    CHECK(matches("?", "\xC3\xA4"));
    CHECK(matches("gr\xC3\xBCn-?", "gr\xC3\xBCn-\xF0\x9F\x8C\xB3"));
    CHECK(matches("[\xC3\xA4\xC3\xB6]", "\xC3\xB6"));
    CHECK(!matches("[\xC3\xA4\xC3\xB6]", "\xC3\xBC"));
    CHECK(matches("[\xCE\xB1-\xCF\x89]", "\xCE\xB2"));
    CHECK(matches("a?c",
                  "a\xFF"
                  "c"));
    CHECK(matches("\xFF*", "\xFFx"));
    CHECK(!matches("\xFF", "\xC3\xBF"));
    CHECK(matches("??", "\xC3\xC3"));
    CHECK(matches("?", "\xE2\x82\xAC"));
    CHECK(matches("??", "\xE2\x82"));
}

TEST_CASE("patterns that cannot be meant are refused with their reason") {
    for (const std::string_view pattern : {"", "/", "./", "a//b", "//", "[a", "[", "[]", "[!]", "[b-a]", "a\\", "[a\\",
                                           "[[:digit:]]", "../x", "a/./b", "..", "x/[a/b]"}) {
        CAPTURE(pattern);
        const auto glob = Glob::parse(pattern);
        REQUIRE(!glob);
        CHECK(glob.error().code == ErrorCode::usage);
        CHECK(glob.error().message.find("'" + std::string(pattern) + "'") != std::string::npos);
    }
}

TEST_CASE("a glob finds what trying all ways finds") {
    for (unsigned p = 1; p < 1024; ++p) {
        const std::string pattern = word(p, "ab*?");
        const auto glob = Glob::parse("/" + pattern);
        REQUIRE(glob);
        for (unsigned t = 1; t < 128; ++t) {
            const std::string text = word(t, "ab");
            if (glob->matches(text, false) != slowly(pattern, text)) FAIL(pattern << " and " << text);
        }
        if (slowly(pattern, "")) CHECK(!glob->matches("", false));
    }
}

TEST_CASE("a pattern of many stars takes no more than a moment") {
    std::string stars;
    std::string deep;
    std::string path;
    for (int i = 0; i < 60; ++i) {
        stars += "*a";
        deep += "**/a/";
        path += "a/";
    }
    const std::string text(4'000, 'a');
    const std::clock_t start = std::clock();  // time of this process, whatever else runs on the machine
    CHECK(!matches(stars + "b", text));
    CHECK(!matches(deep + "b", path + path + path + path + "c"));
    CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}
