#include "base/signing_key.hpp"

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <string>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "base/needs_memory.hpp"

namespace azlock {
namespace {

constexpr int kSmallestKey = 1024;  // a smaller one has no room for the signature's padding

template <auto free>
struct Freeing {
    template <typename T>
    void operator()(T* object) const {
        free(object);
    }
};
using Bio = std::unique_ptr<BIO, Freeing<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freeing<X509_free>>;

struct Content {
    Key key;
    std::vector<Certificate> certificates;
};

Bio reader(std::string_view text) {
    return Bio(needs_memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))));
}

// Never asks at the terminal.
int give_passphrase(char* out, int size, int /*writing*/, void* passphrase) {
    const std::string& text = static_cast<const Secret*>(passphrase)->reveal();
    if (text.empty() || text.size() > static_cast<std::size_t>(size)) return -1;
    std::copy(text.begin(), text.end(), out);
    return static_cast<int>(text.size());
}

Content read_pem(std::string_view file, const Secret& passphrase) {
    Content out;
    auto* const given = const_cast<Secret*>(&passphrase);
    const Bio keys = reader(file);
    out.key.reset(PEM_read_bio_PrivateKey(keys.get(), nullptr, give_passphrase, given));
    const Bio certificates = reader(file);
    while (X509* found = PEM_read_bio_X509(certificates.get(), nullptr, give_passphrase, given)) {
        out.certificates.emplace_back(found);
    }
    return out;
}

Content read_pkcs12(std::string_view file, const Secret& passphrase) {
    Content out;
    const Bio bio = reader(file);
    const std::unique_ptr<PKCS12, Freeing<PKCS12_free>> box(d2i_PKCS12_bio(bio.get(), nullptr));
    EVP_PKEY* key = nullptr;
    X509* own = nullptr;
    STACK_OF(X509)* others = nullptr;
    if (!box || PKCS12_parse(box.get(), passphrase.reveal().c_str(), &key, &own, &others) != 1) return out;
    out.key.reset(key);
    if (own != nullptr) out.certificates.emplace_back(own);
    for (X509* other = sk_X509_shift(others); other != nullptr; other = sk_X509_shift(others)) {
        out.certificates.emplace_back(other);
    }
    sk_X509_free(others);
    return out;
}

// True if OpenSSL has failed because it has no such cipher. Its version 3 keeps the oldest ones apart.
bool lacks_cipher() {
    bool out = false;
    while (const unsigned long error = ERR_get_error()) {
        out = out || (ERR_GET_LIB(error) == ERR_LIB_EVP && ERR_GET_REASON(error) == ERR_R_UNSUPPORTED);
    }
    return out;
}

Bytes der_of(X509& certificate) {
    Bytes out(static_cast<std::size_t>(std::max(0, i2d_X509(&certificate, nullptr))));
    auto* at = reinterpret_cast<unsigned char*>(out.data());
    i2d_X509(&certificate, &at);
    return out;
}

WallTime end_of(const X509& certificate) {
    std::tm time{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &time) != 1) return {};
    // Later ends than the nanoseconds of a WallTime reach.
    return WallTime(std::chrono::seconds(std::min<std::time_t>(::timegm(&time), 9'000'000'000)));
}

}  // namespace

void SigningKey::Free::operator()(EVP_PKEY* key) const {
    EVP_PKEY_free(key);
}

Result<SigningKey> SigningKey::read(std::string_view file, const Secret& passphrase) {
    const bool pem = file.find("-----BEGIN ") != std::string_view::npos;
    ERR_clear_error();
    Content content = pem ? read_pem(file, passphrase) : read_pkcs12(file, passphrase);
    const bool old = lacks_cipher();
    if (!content.key && old) {
        return fail(ErrorCode::config,
                    "it is encrypted with an old cipher, such as RC2-40, that OpenSSL 3 does not read",
                    pem ? "encrypt its key again, with AES-256"
                        : "convert it: openssl pkcs12 -legacy -in OLD.pfx -out NEW.pem");
    }
    if (!content.key) {
        return fail(ErrorCode::config, pem ? "it has no private key that the passphrase opens"
                                           : "it is neither PEM nor a PKCS#12 file that the passphrase opens");
    }
    if (EVP_PKEY_base_id(content.key.get()) != EVP_PKEY_RSA) return fail(ErrorCode::config, "its key is not RSA");
    if (EVP_PKEY_bits(content.key.get()) < kSmallestKey) {
        return fail(ErrorCode::config, "its RSA key has fewer than " + std::to_string(kSmallestKey) + " bits");
    }
    auto& certificates = content.certificates;
    const auto own = std::find_if(certificates.begin(), certificates.end(), [&](const Certificate& certificate) {
        return X509_check_private_key(certificate.get(), content.key.get()) == 1;
    });
    ERR_clear_error();
    if (own == certificates.end()) return fail(ErrorCode::config, "it has no certificate of its key");
    std::rotate(certificates.begin(), own, own + 1);
    SigningKey out;
    out.key_.reset(content.key.release());
    for (const Certificate& certificate : certificates) out.chain_.push_back(der_of(*certificate));
    out.ends_ = end_of(*certificates.front());
    return out;
}

Bytes SigningKey::sign(ByteView data) const {
    const std::unique_ptr<EVP_MD_CTX, Freeing<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
    EVP_PKEY_CTX* how = nullptr;
    const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
    std::size_t size = 0;
    Bytes out;
    bool ok = EVP_DigestSignInit(context.get(), &how, EVP_sha256(), nullptr, key_.get()) == 1 &&
              EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) == 1 &&
              EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_DIGEST) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &size, bytes, data.size()) == 1;
    if (ok) {
        out.resize(size);
        ok =
            EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size, bytes, data.size()) == 1;
        out.resize(size);
    }
    if (!ok) throw std::runtime_error("OpenSSL cannot sign");
    return out;
}

}  // namespace azlock
