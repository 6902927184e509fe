#include "base/digest.hpp"

#include <stdexcept>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace azlock {
namespace {

// A failure here means a broken OpenSSL installation: a bug or a provider without the algorithm, never bad input.
void require(bool ok) {
    if (!ok) throw std::runtime_error("OpenSSL refused a hash operation");
}

EVP_MD_CTX* evp(detail::DigestContext* context) {
    return reinterpret_cast<EVP_MD_CTX*>(context);
}

// Looking an algorithm up by name costs more than hashing a few hundred bytes, and takes a lock that all threads share.
const EVP_MD* fetch(const char* name) {
    const EVP_MD* algorithm = EVP_MD_fetch(nullptr, name, nullptr);
    require(algorithm != nullptr);
    return algorithm;
}

const EVP_MD* sha256_algorithm() {
    static const EVP_MD* const kFetched = fetch("SHA256");
    return kFetched;
}

const EVP_MD* md5_algorithm() {
    static const EVP_MD* const kFetched = fetch("MD5");
    return kFetched;
}

detail::DigestContextPtr start(const EVP_MD* algorithm) {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    require(context != nullptr);
    detail::DigestContextPtr owned(reinterpret_cast<detail::DigestContext*>(context));
    require(EVP_DigestInit_ex(context, algorithm, nullptr) == 1);
    return owned;
}

template <typename Sum>
Sum finish_sum(detail::DigestContext* context) {
    Sum sum{};
    unsigned length = 0;
    require(EVP_DigestFinal_ex(evp(context), reinterpret_cast<unsigned char*>(sum.data()), &length) == 1 &&
            length == sum.size());
    return sum;
}

void feed(detail::DigestContext* context, ByteView data) {
    require(EVP_DigestUpdate(evp(context), data.data(), data.size()) == 1);
}

}  // namespace

void detail::DigestContextDeleter::operator()(DigestContext* context) const {
    EVP_MD_CTX_free(evp(context));
}

Sha256Sum hmac_sha256(ByteView key, ByteView data) {
    // OpenSSL treats null data as a mistake, even if the length is 0.
    static constexpr std::byte kNothing{};
    const auto* from = reinterpret_cast<const unsigned char*>(data.empty() ? &kNothing : data.data());
    Sha256Sum sum{};
    unsigned length = 0;
    require(HMAC(sha256_algorithm(), key.data(), static_cast<int>(key.size()), from, data.size(),
                 reinterpret_cast<unsigned char*>(sum.data()), &length) != nullptr);
    return sum;
}

Sha256Sum sha256(ByteView data) {
    Sha256 hash;
    hash.update(data);
    return hash.finish();
}

Md5Sum md5(ByteView data) {
    Md5 hash;
    hash.update(data);
    return hash.finish();
}

Sha256::Sha256() : context_(start(sha256_algorithm())) {}
void Sha256::update(ByteView data) {
    feed(context_.get(), data);
}
Sha256Sum Sha256::finish() {
    return finish_sum<Sha256Sum>(context_.get());
}

Md5::Md5() : context_(start(md5_algorithm())) {}
void Md5::update(ByteView data) {
    feed(context_.get(), data);
}
Md5Sum Md5::finish() {
    return finish_sum<Md5Sum>(context_.get());
}

void init_crypto() {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

std::string crypto_version() {
    return OpenSSL_version(OPENSSL_VERSION);
}

}  // namespace azlock
