// base/signing_key: certificates and keys as openssl writes them, and signatures that openssl accepts.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/signing_key.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace azlock;

namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct KeyFiles {
    KeyFiles() {
        openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=one -keyout one.key -out one.pem");
        openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=two -keyout two.key -out two.pem");
    }
    void openssl(const std::string& arguments) const {
        REQUIRE(std::system(("cd " + dir.path() + " && openssl " + arguments + " >/dev/null 2>&1").c_str()) == 0);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return contents(dir.file(name)); }
    [[nodiscard]] std::string error(const std::string& content, const std::string& passphrase = {}) const {
        const auto key = SigningKey::read(content, Secret(passphrase));
        REQUIRE_FALSE(key);
        CHECK(key.error().code == ErrorCode::config);
        return key.error().message;
    }
    test::TempDir dir;
};

}  // namespace

TEST_CASE("a key signs so that its certificate verifies, in every form of the file") {
    const KeyFiles keys;
    keys.openssl("rsa -in one.key -aes256 -passout pass:hush -out locked.key");
    keys.openssl("pkcs12 -export -inkey one.key -in one.pem -passout pass:hush -out one.pfx");
    keys.openssl("pkcs12 -export -inkey one.key -in one.pem -passout pass: -out open.pfx");
    keys.openssl("x509 -in one.pem -outform der -out one.der");
    keys.openssl("x509 -in one.pem -pubkey -noout -out one.pub");
    struct Form {
        std::string content;
        std::string passphrase;
        std::size_t certificates;
    };
    for (const Form& form : {Form{keys.file("one.pem") + keys.file("one.key"), "", 1},
                             Form{keys.file("two.pem") + keys.file("one.key") + keys.file("one.pem"), "", 2},
                             Form{keys.file("locked.key") + keys.file("one.pem"), "hush", 1},
                             Form{keys.file("one.pfx"), "hush", 1}, Form{keys.file("open.pfx"), "", 1}}) {
        const auto key = SigningKey::read(form.content, Secret(form.passphrase));
        REQUIRE(key);
        CHECK(key->chain().size() == form.certificates);
        const std::string der = keys.file("one.der");
        CHECK(std::equal(key->chain()[0].begin(), key->chain()[0].end(), as_bytes(der).begin(), as_bytes(der).end()));
        const auto days = key->ends() - std::chrono::system_clock::now();
        CHECK(days > std::chrono::hours(47));
        CHECK(days <= std::chrono::hours(48));
        const Bytes signature = key->sign(as_bytes("text"));
        keys.dir.write("text", "text");
        keys.dir.write("signature", std::string(reinterpret_cast<const char*>(signature.data()), signature.size()));
        keys.openssl(
            "dgst -sha256 -verify one.pub -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 "
            "-sigopt rsa_mgf1_md:sha256 -signature signature text");
    }
}

TEST_CASE("a file that cannot be used says what is missing") {
    const KeyFiles keys;
    keys.openssl("rsa -in one.key -aes256 -passout pass:hush -out locked.key");
    keys.openssl("pkcs12 -export -inkey one.key -in one.pem -passout pass:hush -out one.pfx");
    keys.openssl("ecparam -name prime256v1 -genkey -noout -out ec.key");
    CHECK(keys.error(keys.file("one.pem")).find("private key") != std::string::npos);
    CHECK(keys.error(keys.file("one.key")).find("certificate") != std::string::npos);
    CHECK(keys.error(keys.file("one.key") + keys.file("two.pem")).find("certificate") != std::string::npos);
    CHECK(keys.error(keys.file("locked.key") + keys.file("one.pem")).find("passphrase") != std::string::npos);
    CHECK(keys.error(keys.file("locked.key") + keys.file("one.pem"), "wrong").find("passphrase") != std::string::npos);
    CHECK(keys.error(keys.file("one.pfx"), "wrong").find("passphrase") != std::string::npos);
    CHECK(keys.error(keys.file("ec.key") + keys.file("one.pem")).find("RSA") != std::string::npos);
    for (const char* garbage : {"", "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}) {
        CHECK(!keys.error(garbage).empty());
    }
}
