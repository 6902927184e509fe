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

// A key and a certificate with the passphrase "hush", as "openssl pkcs12 -export" of OpenSSL 1 wrote them: encrypted
// with RC2-40.
constexpr std::string_view kOldPfx =
    "MIIDcgIBAzCCAzgGCSqGSIb3DQEHAaCCAykEggMlMIIDITCCAhcGCSqGSIb3DQEHBqCCAggwggIEAgEAMIIB/QYJKo"
    "ZIhvcNAQcBMBwGCiqGSIb3DQEMAQYwDgQI3+FxvSCJydUCAggAgIIB0Mz/BEpDYc3uf5/aJsMnrg9L5wn7ETIO0yOP"
    "qyGO4g5TSHEseqgxgRELcbTxYOEryrn/mclzkk2m/yK2fXGMxj4jVRWNA445dvSBBDAl4e0AXad4g8y4DG3Ab/mo1z"
    "M2bJh64YLc+YwOdC20cQLirDsZwZsNXULgo5/ZCcncJsX3luXvo2ybPbKKwmEI2/FnuoaOTOE7luRGTsfvUdv1RJgn"
    "bbjGvm9o4dzyCrNY9MCorS8TnMLqpaTikUD9XkFA2eU8qPw0Ey7y5dEVOrNbQ6ez/k/wdq0gJeUx66ns4gE6nkP1CO"
    "9ZaX4qGmdv0dzpexVfTfkDvaAwAJDWx7z1gYL32SQq8alNV7GQln6JaSANhXoIjwb9hNiVb/rFRtunBg5eYBoyqlJi"
    "f9iWOJ4Ug6/H8kymRWX/KZBRlUXyAjDf/3IBBr6uNnRPNoOuug+bm3oflFDyrNQMjUGw/R9c6EZcjySJpc9yGHWWHi"
    "G9NnzrlUH2v8ZVB2wn5oPIskGqxM1hpuH174PCR5Y6pLbJTNWqlmHQkOFMfVKHnDY441VFb735poFAQY6i+zIXqE8H"
    "/08fXUmtVt85jiV7wPJL4uSdCxgjn/j1gDxMXG+PjsJmMIIBAgYJKoZIhvcNAQcBoIH0BIHxMIHuMIHrBgsqhkiG9w"
    "0BDAoBAqCBtDCBsTAcBgoqhkiG9w0BDAEDMA4ECEXLwauyHRqKAgIIAASBkAIwqwWzPhagFpeseNa1intqdS+l4GLo"
    "VRJpTcqN6B6Sh73xfEFP52XDq2xhL7ATFFr3W9lg0BY4Ir7jN2uN5PCxYhyoFVYAAuwmTN0jQqtfBqgt3EbY2Dfk4B"
    "Ebgb8x9Cx3S7EB/lhTe/a2w2XMFCYJiP1F2uYxcUdkWaGWZGqLSH1T1h4Jtv4ZFAKassf2xzElMCMGCSqGSIb3DQEJ"
    "FTEWBBSBOcSydQvzsoxgbaO4BapJlLcqHTAxMCEwCQYFKw4DAhoFAAQUlgVMCUAtfK2O6Y1fYKOGorGB0nAECLN1Mn"
    "q0yZLHAgIIAA==";

struct Certificates {
    Certificates() {
        openssl("req -x509 -newkey rsa:1024 -nodes -days 2 -subj /CN=one -keyout one.key -out one.pem");
        openssl("req -x509 -newkey rsa:1024 -nodes -days 2 -subj /CN=two -keyout two.key -out two.pem");
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
    const Certificates rig;
    rig.openssl("rsa -in one.key -aes256 -passout pass:hush -out locked.key");
    rig.openssl("pkcs12 -export -inkey one.key -in one.pem -passout pass:hush -out one.pfx");
    rig.openssl("pkcs12 -export -inkey one.key -in one.pem -passout pass: -out open.pfx");
    rig.openssl("x509 -in one.pem -outform der -out one.der");
    rig.openssl("x509 -in one.pem -pubkey -noout -out one.pub");
    struct Form {
        std::string content;
        std::string passphrase;
        std::size_t certificates;
    };
    for (const Form& form : {Form{rig.file("one.pem") + rig.file("one.key"), "", 1},
                             Form{rig.file("two.pem") + rig.file("one.key") + rig.file("one.pem"), "", 2},
                             Form{rig.file("locked.key") + rig.file("one.pem"), "hush", 1},
                             Form{rig.file("one.pfx"), "hush", 1}, Form{rig.file("open.pfx"), "", 1}}) {
        const auto key = SigningKey::read(form.content, Secret(form.passphrase));
        REQUIRE(key);
        CHECK(key->chain().size() == form.certificates);
        const std::string der = rig.file("one.der");
        CHECK(std::equal(key->chain()[0].begin(), key->chain()[0].end(), as_bytes(der).begin(), as_bytes(der).end()));
        const auto days = key->ends() - std::chrono::system_clock::now();
        CHECK(days > std::chrono::hours(47));
        CHECK(days <= std::chrono::hours(48));
        const Bytes signature = key->sign(as_bytes("text"));
        rig.dir.write("text", "text");
        rig.dir.write("signature", std::string(reinterpret_cast<const char*>(signature.data()), signature.size()));
        rig.openssl(
            "dgst -sha256 -verify one.pub -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 "
            "-sigopt rsa_mgf1_md:sha256 -signature signature text");
    }
}

TEST_CASE("a file with a cipher that OpenSSL does not have says how to convert it") {
    const Bytes der = base64_decode(kOldPfx).value();
    const std::string file(reinterpret_cast<const char*>(der.data()), der.size());
    const auto old = SigningKey::read(file, Secret("hush"));
    REQUIRE_FALSE(old);
    CHECK(old.error().message.find("RC2-40") != std::string::npos);
    CHECK(old.error().hint.find("openssl pkcs12 -legacy -in OLD.pfx -out NEW.pem") != std::string::npos);
    const auto wrong = SigningKey::read(file, Secret("wrong"));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message.find("passphrase opens") != std::string::npos);
}

TEST_CASE("a file that cannot be used says what is missing") {
    const Certificates rig;
    rig.openssl("rsa -in one.key -aes256 -passout pass:hush -out locked.key");
    rig.openssl("pkcs12 -export -inkey one.key -in one.pem -passout pass:hush -out one.pfx");
    rig.openssl("ecparam -name prime256v1 -genkey -noout -out ec.key");
    CHECK(rig.error(rig.file("one.pem")).find("private key") != std::string::npos);
    CHECK(rig.error(rig.file("one.key")).find("certificate") != std::string::npos);
    CHECK(rig.error(rig.file("one.key") + rig.file("two.pem")).find("certificate") != std::string::npos);
    CHECK(rig.error(rig.file("locked.key") + rig.file("one.pem")).find("passphrase") != std::string::npos);
    CHECK(rig.error(rig.file("locked.key") + rig.file("one.pem"), "wrong").find("passphrase") != std::string::npos);
    rig.openssl("req -x509 -newkey rsa:768 -nodes -days 2 -subj /CN=small -keyout small.key -out small.pem");
    CHECK(rig.error(rig.file("small.key") + rig.file("small.pem")).find("fewer than 1024 bits") != std::string::npos);
    CHECK(rig.error(rig.file("one.pfx"), "wrong").find("passphrase") != std::string::npos);
    CHECK(rig.error(rig.file("ec.key") + rig.file("one.pem")).find("RSA") != std::string::npos);
    const std::string locked =
        "-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
        "AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"
        "AAAAAAAAAAAAAAAAAAAAAA==\n-----END CERTIFICATE-----\n";
    CHECK(rig.error(locked + rig.file("one.key") + rig.file("one.pem")).find("certificate") != std::string::npos);
    for (const char* garbage : {"", "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}) {
        CHECK(!rig.error(garbage).empty());
    }
}
