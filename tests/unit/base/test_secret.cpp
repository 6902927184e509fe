// base/secret: redact() removes every secret and changes nothing else.
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/encoding.hpp"
#include "base/secret.hpp"
#include "support/catch.hpp"

using namespace azlock;

namespace {

constexpr std::string_view kKey = "Zm9v+YmFy/YmF6cXV4ZnJlZA==";

// Checks what redact() leaves of `form` with `secret` in the place of its `@`.
void check_redacted(std::string_view form, std::string_view secret = kKey) {
    const auto at = form.find('@');
    const std::string before(form.substr(0, at));
    const std::string after(form.substr(at + 1));
    const std::string text = before + std::string(secret) + after;
    INFO(text);
    CHECK(redact(text) == before + "REDACTED" + after);
    CHECK(redact(redact(text)) == redact(text));
}

void check_kept(std::string_view text) {
    INFO(text);
    CHECK(redact(text) == text);
}

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) {
    out << value;
};
template <typename T>
concept Comparable = requires(const T& a, const T& b) {
    a == b;
};

}  // namespace

TEST_CASE("a Secret gives its value to reveal() alone") {
    const Secret secret{std::string(kKey)};
    CHECK(secret.reveal() == kKey);
    CHECK_FALSE(secret.empty());
    CHECK(Secret().empty());
    CHECK_FALSE(Streamable<Secret>);
    CHECK_FALSE(Comparable<Secret>);
    CHECK_FALSE(std::is_convertible_v<Secret, std::string>);
    CHECK_FALSE(std::is_convertible_v<std::string, Secret>);
}

TEST_CASE("connection strings lose their keys and signatures and nothing else") {
    check_redacted("DefaultEndpointsProtocol=https;AccountName=me;AccountKey=@;EndpointSuffix=core.windows.net");
    check_redacted("AccountKey=@");
    check_redacted("accountkey=@;x=y");
    check_redacted("ACCOUNTKEY=@");
    check_redacted("AccountKey= @;AccountName=me");
    check_redacted("AccountKey=\"@\"");
    check_redacted("\"AccountKey=@\"");
    check_redacted("MyAccountKey=@;");
    check_redacted("BlobEndpoint=https://x.test;SharedAccessSignature=@", "sv=2023&sp=rw&sig=a%2Bb%3D");
    check_redacted("sharedaccesssignature=@;AccountName=me", "sv=2023&sp=rw&sig=a%2Bb%3D");
}

TEST_CASE("the signature of a SAS goes in any case and at any place") {
    check_redacted("https://me.blob.test/c/b?sv=2023&sig=@&se=2030");
    check_redacted("https://me.blob.test/c/b?sig=@");
    check_redacted("?SIG=@&x=y");
    check_redacted("Sig=@");
    check_redacted("GET '/c/b?sig=@' failed");
    check_redacted("<Uri>https://x/?a=b&amp;sig=@&amp;se=1</Uri>");
    check_redacted("<a>sig=@</a>");
    check_redacted("two: sig=@ and text", "abc%2Bdef%3D");
    check_redacted("a\nsig=@\nb");
    check_redacted("x?sig=@;y");
}

TEST_CASE("a signature in a URL that is itself percent-encoded goes whole") {
    check_redacted("redirect=https%3A%2F%2Fme%2Fc%3Fsv%3D1%26sig%3D@%26se%3D2030", "abc%252Bdef%253D");
    check_redacted("%3fsig%3d@%26se", "abc%2Bdef%3D");
    check_redacted("sig%3D@", "abc%2Bdef%2Fghi%3D");
    check_redacted("%2526sig%253D@%2526se%253D1", "abc%25252B");
    check_redacted("u=a%26sig%3D@&other=1", "abc%252Bdef");
    check_redacted("AccountKey%3D@%3BEndpointSuffix%3Dx", "abc%2Bdef%3D%3D");
    check_redacted("SharedAccessSignature%3D@", "sv%3D1%26sig%3Dabc%252B");
}

TEST_CASE("tokens and Shared Key signatures go") {
    check_redacted("Authorization: Bearer @", "eyJ0eXAi.OiJKV1Q-i_LCJh.bGci");
    check_redacted("authorization: bearer  @\r\nx: y", "eyJ0eXAi");
    check_redacted("{\"Authorization\":\"Bearer @\"}", "eyJ0eXAi");
    check_redacted("Authorization: SharedKey @", "me:abc+/=");
    check_redacted("Authorization: SharedKeyLite @", "me:abc+/=");
    check_redacted("The MAC signature found in the HTTP request '@' is not the same as any computed signature.");
}

TEST_CASE("a word after the name of a scheme is no token") {
    for (const char* text : {"The scheme Bearer is not supported.", "Bearer token required", "Bearer Token",
                             "a bearer token.", "SharedKey authorization is off", "Bearer REDACTED not supported",
                             "Only Bearer authentication, and no other one"}) {
        check_kept(text);
    }
    check_redacted("Bearer @ is not supported", "eyJ0eXAi.OiJKV1Q-i_LCJh.bGci");
    check_redacted("Bearer @", "abcdefghijklmno");
    check_redacted("Bearer @", "ab1");
    check_redacted("Bearer @", "aB");
    check_redacted("SharedKey @", "me:abc");
}

TEST_CASE("the proof of an application goes, wherever a form is repeated") {
    check_redacted("grant_type=x&client_secret=@&scope=y", "a%20client%7Esecret");
    check_redacted("unknown field 'client_secret=@'");
    check_redacted("client_assertion_type=jwt&client_assertion=@", "aGVhZA.e30.c2ln");
    check_redacted("u=client_secret%3D@%26scope", "a%2520secret");
    check_kept("my_client_secret=1");
    check_kept("client_assertion_type=urn%3Aietf");
}

TEST_CASE("several secrets of one text all go") {
    CHECK(redact("AccountKey=a;SharedAccessSignature=b;sig=c&sig=d Bearer e") ==
          "AccountKey=REDACTED;SharedAccessSignature=REDACTED;sig=REDACTED&sig=REDACTED Bearer REDACTED");
    CHECK(redact("Bearer aAccountKey= b") == "Bearer REDACTEDAccountKey= REDACTED");
    CHECK(redact("AccountKey=a/Bearer b") == "AccountKey=REDACTEDBearer REDACTED");
}

TEST_CASE("other text stays byte for byte") {
    for (const char* text : {"",
                             "design=abc",
                             "xsig=1",
                             "_sig=1",
                             "-sig=1",
                             "sign=1",
                             "sigma",
                             "sig",
                             "signature",
                             "sig =x",
                             "AccountName=me",
                             "AccountKey",
                             "DefaultEndpointsProtocol=https",
                             "sig=",
                             "sig=&x=y",
                             "AccountKey=;x",
                             "AccountKey= ",
                             "Bearer",
                             "bearers are here",
                             "sharedkey",
                             "a%26b%3Dc",
                             "de%73ign%3D",
                             "12sig%3Dx",
                             "\xFF\xFE sig",
                             "%",
                             "%3D"}) {
        check_kept(text);
    }
    check_kept(std::string_view("a\0b", 3));
}

TEST_CASE("every byte around a signature leaves it redacted or is no boundary on purpose") {
    for (int i = 0; i < 256; ++i) {
        const char c = static_cast<char>(i);
        const std::string text = std::string("x") + c + "sig=" + std::string(kKey);
        const bool word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        INFO(i);
        CHECK((redact(text).find(kKey) == std::string::npos) == !word);
    }
}
