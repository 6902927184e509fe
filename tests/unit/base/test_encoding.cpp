// base/encoding: Base64, hex, percent-encoding and the UTF-8 check.
#include <string>
#include <utility>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "support/catch.hpp"
#include "support/seeded_random.hpp"

using namespace azlock;

namespace {

std::string decoded(std::string_view text) {
    const auto bytes = base64_decode(text);
    REQUIRE(bytes);
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string every_byte() {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    return all;
}

}  // namespace

TEST_CASE("Base64 of the RFC 4648 examples, both ways") {
    const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                            {"f", "Zg=="},
                                                            {"fo", "Zm8="},
                                                            {"foo", "Zm9v"},
                                                            {"foob", "Zm9vYg=="},
                                                            {"fooba", "Zm9vYmE="},
                                                            {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, encoded] : examples) {
        CHECK(base64_encode(as_bytes(plain)) == encoded);
        CHECK(decoded(encoded) == plain);
    }
    CHECK(base64_encode(as_bytes("\xFB\xEF\xBE\xFF\xFF\xFF")) == "++++////");
}

TEST_CASE("every byte string survives Base64") {
    SeededRandom random(1);
    for (std::size_t length = 0; length < 200; ++length) {
        std::string data;
        for (std::size_t i = 0; i < length; ++i) data += static_cast<char>(random.next());
        const std::string text = base64_encode(as_bytes(data));
        CHECK(text.size() == (length + 2) / 3 * 4);
        CHECK(decoded(text) == data);
    }
    CHECK(decoded(base64_encode(as_bytes(every_byte()))) == every_byte());
}

TEST_CASE("Base64 is read strictly: padding, alphabet, no blanks, no stray bits") {
    for (const char* text :
         {"Z",        "Zg",   "Zg=",  "Zm9",      "Zm9vZ", "=",     "==",    "===",    "====",   "Z===",
          "Zg==Zg==", "Zm=v", "Z=9v", "=m9v",     "Zg= =", " Zg==", "Zg== ", "Zg==\n", "Zm9v\n", "Zm 9",
          "Zm9-",     "Zm9_", "Zm9*", "Zm9v====", "Zh==",  "Zn==",  "Zm9=",  "Zm+=",   "Zg=a",   "\xFF\xFF\xFF\xFF"}) {
        INFO(text);
        CHECK_FALSE(base64_decode(text));
    }
    CHECK_FALSE(base64_decode(std::string_view("Zm9\0", 4)));
}

TEST_CASE("hex is lower case, two digits a byte") {
    CHECK(hex_encode({}).empty());
    CHECK(hex_encode(as_bytes(std::string("\x00\x0F\xA0\xFF", 4))) == "000fa0ff");
}

TEST_CASE("percent-encoding keeps the unreserved bytes alone, and every byte comes back") {
    const std::string unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    CHECK(percent_encode(unreserved) == unreserved);
    for (const char c : every_byte()) {
        const std::string one(1, c);
        const std::string encoded = percent_encode(one);
        CHECK(encoded.size() == (unreserved.find(c) == std::string::npos ? 3U : 1U));
        CHECK(percent_decode(encoded) == one);
        CHECK(percent_decode(percent_encode_path(one)) == one);
        CHECK(percent_encode_path(one) == (c == '/' ? "/" : encoded));
    }
    CHECK(percent_decode(percent_encode(every_byte())) == every_byte());
}

TEST_CASE("names with reserved characters are encoded as the service wants them") {
    CHECK(percent_encode("a b+c/d?e#f&g=h%41") == "a%20b%2Bc%2Fd%3Fe%23f%26g%3Dh%2541");
    CHECK(percent_encode_path("a b+c//d?e#f%41") == "a%20b%2Bc//d%3Fe%23f%2541");
    CHECK(percent_encode("\xC3\xA9") == "%C3%A9");
    CHECK(percent_encode("MDAw+/==") == "MDAw%2B%2F%3D%3D");
}

TEST_CASE("percent-decoding takes either case, leaves '+' alone and refuses a broken escape") {
    CHECK(percent_decode("") == "");
    CHECK(percent_decode("a+b") == "a+b");
    CHECK(percent_decode("%2b%2B") == "++");
    CHECK(percent_decode("%2541") == "%41");
    CHECK(percent_decode("%00") == std::string(1, '\0'));
    for (const char* text : {"%", "%4", "a%", "a%4", "%G0", "%0G", "%%41", "% 41", "%-1", "%+1", "%0x"}) {
        INFO(text);
        CHECK_FALSE(percent_decode(text));
    }
}

TEST_CASE("well-formed UTF-8 is told from everything else") {
    for (const char* text :
         {"", "plain", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
          "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\xD0\xBF\xD1\x80\xF0\x9F\x98\x80"}) {
        INFO(text);
        CHECK(is_utf8(text));
    }
    CHECK(is_utf8(std::string_view("a\0b", 3)));
    for (const char* text : {"\x80",
                             "\xBF",
                             "a\x80",
                             "\xC2",
                             "\xC2"
                             "a",
                             "\xC0\x80",
                             "\xC1\xBF",
                             "\xE0\x80\x80",
                             "\xE0\x9F\xBF",
                             "\xE1\x80",
                             "\xE1\x80"
                             "a",
                             "\xED\xA0\x80",
                             "\xED\xBF\xBF",
                             "\xF0\x80\x80\x80",
                             "\xF0\x8F\xBF\xBF",
                             "\xF0\x9F\x98",
                             "\xF4\x90\x80\x80",
                             "\xF5\x80\x80\x80",
                             "\xF8\x88\x80\x80\x80",
                             "\xFE",
                             "\xFF",
                             "\xC2\x80\x80"}) {
        INFO(hex_encode(as_bytes(text)));
        CHECK_FALSE(is_utf8(text));
    }
}

TEST_CASE("the parts of a JWT are Base64 without padding, in the letters of a URL") {
    CHECK(base64url_encode(as_bytes("\xFB\xEF\xBE\xFF")) == "----_w");
    CHECK(base64url_encode(as_bytes("a")) == "YQ");
    CHECK(base64url_encode({}).empty());
    for (const std::string text : {"", "a", "ab", "abc", "\xFB\xEF\xBE\xFF\xFF"}) {
        const auto bytes = base64url_decode(base64url_encode(as_bytes(text)));
        REQUIRE(bytes);
        CHECK(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) == text);
    }
    for (const char* bad : {"YQ==", "+A", "/A", "Y", "Y!", "YR"}) CHECK_FALSE(base64url_decode(bad));
}
