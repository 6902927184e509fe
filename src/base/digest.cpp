#include "base/digest.hpp"

#include <type_traits>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/needs_memory.hpp"

namespace azlock {
namespace {

// Looking an algorithm up by name costs more than hashing a few hundred bytes, and takes a lock that all threads share.
const EVP_MD* fetch(const char* name) {
    return needs_memory(EVP_MD_fetch(nullptr, name, nullptr));
}

template <typename Sum>
const EVP_MD* algorithm() {
    static const EVP_MD* const kFetched = fetch(std::is_same_v<Sum, Md5Sum> ? "MD5" : "SHA256");
    return kFetched;
}

template <typename Sum>
Sum digest_of(ByteView data) {
    Digest<Sum> hash;
    hash.update(data);
    return hash.finish();
}

}  // namespace

Sha256Sum hmac_sha256(ByteView key, ByteView data) {
    // OpenSSL treats null data as a mistake, even if the length is 0.
    static constexpr std::byte kNothing{};
    const auto* from = reinterpret_cast<const unsigned char*>(data.empty() ? &kNothing : data.data());
    Sha256Sum sum{};
    unsigned length = 0;
    needs_memory(HMAC(algorithm<Sha256Sum>(), key.data(), static_cast<int>(key.size()), from, data.size(),
                      reinterpret_cast<unsigned char*>(sum.data()), &length) != nullptr);
    return sum;
}

Sha256Sum sha256(ByteView data) {
    return digest_of<Sha256Sum>(data);
}

Md5Sum md5(ByteView data) {
    return digest_of<Md5Sum>(data);
}

template <typename Sum>
Digest<Sum>::Digest() : context_(EVP_MD_CTX_new()) {
    needs_memory(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm<Sum>(), nullptr) == 1);
}

template <typename Sum>
void Digest<Sum>::update(ByteView data) {
    needs_memory(EVP_DigestUpdate(context_.get(), data.data(), data.size()) == 1);
}

template <typename Sum>
Sum Digest<Sum>::finish() {
    Sum sum{};
    unsigned length = 0;
    needs_memory(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(sum.data()), &length) == 1 &&
                 length == sum.size());
    return sum;
}

template <typename Sum>
void Digest<Sum>::Free::operator()(EVP_MD_CTX* context) const {
    EVP_MD_CTX_free(context);
}

template class Digest<Sha256Sum>;
template class Digest<Md5Sum>;

void init_crypto() {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
}

std::string crypto_version() {
    return OpenSSL_version(OPENSSL_VERSION);
}

}  // namespace azlock
