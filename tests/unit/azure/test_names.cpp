// azure/names: accepts the names that the service keeps unchanged, refuses those that it would refuse or change.
#include "azure/names.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

std::string repeat(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

void check_blob(const std::string& name, bool good) {
    INFO(name);
    const auto ok = check_blob_name(name);
    CHECK(ok.has_value() == good);
    if (!ok) CHECK(ok.error().code == ErrorCode::usage);
}

}  // namespace

TEST_CASE("container names") {
    for (const std::string good : {"abc", "a-b", "0a9", "a1-b2-c3", "$root", "$web", "$logs", "$blobchangefeed"}) {
        INFO(good);
        CHECK(check_container_name(good));
    }
    CHECK(check_container_name(std::string(63, 'a')));
    for (const std::string bad : {"", "ab", "-ab", "ab-", "a--b", "Abc", "a_b", "a.b", "a b", "$other", "caf\xC3\xA9",
                                  "a/b", "a\nb", "https:"}) {
        INFO(bad);
        const auto ok = check_container_name(bad);
        REQUIRE_FALSE(ok);
        CHECK(ok.error().code == ErrorCode::usage);
        CHECK(ok.error().message.find('\n') == std::string::npos);
    }
    CHECK_FALSE(check_container_name(std::string(64, 'a')));
}

TEST_CASE("blob names that the service keeps as they are") {
    for (const std::string good :
         {"a", "%41", "a+b", "a#b?c&d", "a//b", "/a", "a/", "//", ".hidden", "a.b/c.d", "..a", "a..b/c", " ", "a  b",
          "\xD0\xBF\xD1\x80\xD0\xB8", "\xF0\x9F\x98\x80", "\"<>'&", "\xC2\xA0", "~"}) {
        check_blob(good, true);
    }
}

TEST_CASE("blob names that cannot be sent or listed") {
    for (const std::string bad : {"", "a\nb", "a\tb", "\x01", "\x7F", "\xFF", "a\xC3", "\xED\xA0\x80", "\xC0\x80",
                                  "a\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
        check_blob(bad, false);
    }
    check_blob(std::string("a\0b", 3), false);
}

TEST_CASE("blob names that the service would take for another blob") {
    for (const std::string bad : {".", "..", "./a", "../a", "a/./b", "a/../b", "a/..", "a/.", "/../a", "a.", "a./b",
                                  "...", "a/b..", "a\\b", "\\"}) {
        check_blob(bad, false);
        const bool slashed = bad.find('\\') != std::string::npos;  // the service makes a slash of it, so none is listed
        CHECK(check_listed_name(bad).has_value() != slashed);
        CHECK(has_dot_at_end(bad) != slashed);
    }
}

TEST_CASE("a blob name's length counts UTF-16 units, its depth segments") {
    check_blob(std::string(1024, 'a'), true);
    check_blob(std::string(1025, 'a'), false);
    check_blob(repeat("\xD0\xBF", 1024), true);
    check_blob(repeat("\xD0\xBF", 1025), false);
    check_blob(repeat("\xF0\x9F\x98\x80", 512), true);
    check_blob(repeat("\xF0\x9F\x98\x80", 512) + "a", false);
    check_blob(repeat("a/", 253) + "a", true);
    check_blob(repeat("a/", 254) + "a", false);
}

TEST_CASE("account names can be in a host, a path and a header") {
    for (const std::string good : {"devstoreaccount1", "acct", "my-acct", "A.b_c", "devstoreaccount1-secondary"}) {
        CHECK(check_account_name(good));
    }
    CHECK(check_account_name(std::string(64, 'a')));
    for (const std::string bad : {"", "a b", "a/b", "a\nb", "a:b", "a;b", "caf\xC3\xA9", "a%20"}) {
        INFO(bad);
        const auto ok = check_account_name(bad);
        REQUIRE_FALSE(ok);
        CHECK(ok.error().code == ErrorCode::usage);
    }
    CHECK_FALSE(check_account_name(std::string(65, 'a')));
}

TEST_CASE("metadata names are identifiers") {
    for (const std::string good : {"a", "_", "A1", "foo_BAR2", "__x"}) CHECK(check_metadata_name(good));
    for (const std::string bad : {"", "1a", "a-b", "a b", "a.b", "caf\xC3\xA9", "a:", "a\r\nx"}) {
        INFO(bad);
        CHECK_FALSE(check_metadata_name(bad));
    }
}

TEST_CASE("metadata values are what every signer signs alike") {
    for (const std::string good : {"", "a", "a b", "a=b;c", "\"x\"", "~!@"}) CHECK(check_metadata_value("n", good));
    for (const std::string bad : {" a", "a ", "a  b", "a\tb", "a\r\nx-ms-b: c", "caf\xC3\xA9", "\x7F"}) {
        INFO(bad);
        const auto ok = check_metadata_value("n", bad);
        REQUIRE_FALSE(ok);
        CHECK(ok.error().message.find('\n') == std::string::npos);
    }
}

TEST_CASE("a refused name that holds a SAS by mistake is shown without it") {
    for (const std::string name : {"x?sv=1&sig=MARKER\n", "x?sig=MARKER&a\\b", "?sig=MARKER/."}) {
        const auto ok = check_blob_name(name);
        REQUIRE_FALSE(ok);
        CHECK(ok.error().message.find("MARKER") == std::string::npos);
    }
    const auto ok = check_container_name("box?sig=MARKER");
    REQUIRE_FALSE(ok);
    CHECK(ok.error().message.find("MARKER") == std::string::npos);
}

TEST_CASE("lease ids in any spelling of a GUID become the service's") {
    const std::string canonical = "01234567-89ab-cdef-0123-456789abcdef";
    for (const std::string& text :
         {canonical, std::string("01234567-89AB-CDEF-0123-456789ABCDEF"),
          std::string("0123456789abcdef0123456789ABCDEF"), "{" + canonical + "}", "(" + canonical + ")"}) {
        INFO(text);
        CHECK(canonical_lease_id(text) == canonical);
    }
    for (const std::string bad : {"", "x", "01234567-89ab-cdef-0123-456789abcde",
                                  "01234567-89ab-cdef-0123-456789abcdef0", "01234567-89ab-cdef-0123-456789abcdeg",
                                  "0123456-789ab-cdef-0123-456789abcdef", "{0123456789abcdef0123456789abcdef}",
                                  "(01234567-89ab-cdef-0123-456789abcdef}", "--------------------------------",
                                  "01234567-89ab-cdef-0123456789abcdef-", "------------------------------------",
                                  "01234567x89ab-cdef-0123-456789abcdef", " 01234567-89ab-cdef-0123-456789abcdef"}) {
        INFO(bad);
        const auto id = canonical_lease_id(bad);
        REQUIRE_FALSE(id);
        CHECK(id.error().code == ErrorCode::usage);
    }
}
