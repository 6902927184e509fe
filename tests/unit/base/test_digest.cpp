// base/digest: published results; pieces give the same result as the whole.
#include <string>

#include "base/digest.hpp"
#include "support/catch.hpp"

using namespace azlock;

namespace {

std::string hmac_text(std::string_view key, std::string_view data) {
    return base64_encode(hmac_sha256(as_bytes(key), as_bytes(data)));
}

}  // namespace

TEST_CASE("HMAC-SHA256 of the vectors that the service's own library publishes") {
    constexpr std::string_view kKey = "8CwtGFF1mGR4bPEP9eZ0x1fxKiQ3Ca5N";
    CHECK(hmac_text(kKey, "") == "fFy2T+EuCvAgouw/vB/RAJ75z7jwTj+uiURebkFKF5M=");
    CHECK(hmac_text(kKey, "Hello Azure!") == "+SBESxQVhI53mSEdZJcCBpdBkaqwzfPaVYZMAf5LP3c=");
}

TEST_CASE("HMAC-SHA256 of RFC 4231, with short, long and no key") {
    CHECK(hex_encode(hmac_sha256(as_bytes(std::string(20, '\x0b')), as_bytes("Hi There"))) ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hex_encode(hmac_sha256(as_bytes("Jefe"), as_bytes("what do ya want for nothing?"))) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hex_encode(hmac_sha256(as_bytes(std::string(131, '\xaa')),
                                 as_bytes("Test Using Larger Than Block-Size Key - Hash Key First"))) ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    CHECK(hex_encode(hmac_sha256({}, {})) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST_CASE("SHA-256 and MD5 of known texts") {
    CHECK(hex_encode(sha256({})) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(hex_encode(sha256(as_bytes("abc"))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex_encode(sha256(as_bytes(std::string(1'000'000, 'a')))) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK(base64_encode(md5({})) == "1B2M2Y8AsgTpgAmY7PhCfg==");
    CHECK(base64_encode(md5(as_bytes("Hello Azure!"))) == "Pz8543xut4RVSbb2g52Mww==");
    CHECK(hex_encode(md5(as_bytes("message digest"))) == "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST_CASE("a hash fed in pieces is the hash of the whole, wherever it is cut") {
    std::string data;
    for (int i = 0; i < 300; ++i) data += static_cast<char>(i * 7);
    for (std::size_t cut = 0; cut <= data.size(); ++cut) {
        Sha256 sha;
        Md5 five;
        for (const std::string_view piece :
             {std::string_view(data).substr(0, cut), std::string_view(), std::string_view(data).substr(cut)}) {
            sha.update(as_bytes(piece));
            five.update(as_bytes(piece));
        }
        CHECK(sha.finish() == sha256(as_bytes(data)));
        CHECK(five.finish() == md5(as_bytes(data)));
    }
    CHECK(Sha256().finish() == sha256({}));
    CHECK(Md5().finish() == md5({}));
}
