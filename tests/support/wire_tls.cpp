#include "support/wire_tls.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <stdexcept>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace azlock::test {
namespace {

struct KeyFree {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct CertFree {
    void operator()(X509* cert) const { X509_free(cert); }
};
using Key = std::unique_ptr<EVP_PKEY, KeyFree>;
using Cert = std::unique_ptr<X509, CertFree>;

struct Pair {
    Key key;
    Cert cert;
};

void require(bool ok) {
    if (!ok) throw std::runtime_error("cannot make a certificate for a test");
}

void add_extension(X509* cert, X509* issuer, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    require(extension != nullptr);
    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
}

Pair make_certificate(const std::string& name, bool expired) {
    static std::atomic<long> serial{1};
    constexpr long kDay = 24L * 3600;
    Pair made{Key(EVP_EC_gen("P-256")), Cert(X509_new())};
    X509* cert = made.cert.get();
    require(made.key && cert != nullptr);
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert), -30 * kDay);
    X509_gmtime_adj(X509_getm_notAfter(cert), expired ? -kDay : kDay);
    X509_set_pubkey(cert, made.key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    return made;
}

const Pair& root() {
    static const Pair made = [] {
        Pair pair = make_certificate("azlock test root", false);
        X509_set_issuer_name(pair.cert.get(), X509_get_subject_name(pair.cert.get()));
        add_extension(pair.cert.get(), pair.cert.get(), NID_basic_constraints, "critical,CA:TRUE");
        require(X509_sign(pair.cert.get(), pair.key.get(), EVP_sha256()) > 0);
        return pair;
    }();
    return made;
}

Pair make_leaf(const WireIdentity& identity) {
    Pair pair = make_certificate("azlock test server", identity.expired);
    X509_set_issuer_name(pair.cert.get(), X509_get_subject_name(root().cert.get()));
    std::string names;
    for (const std::string& host : identity.hosts) {
        const bool ip =
            host.find(':') != std::string::npos || host.find_first_not_of("0123456789.") == std::string::npos;
        names += (names.empty() ? "" : ",") + std::string(ip ? "IP:" : "DNS:") + host;
    }
    add_extension(pair.cert.get(), root().cert.get(), NID_subject_alt_name, names);
    require(X509_sign(pair.cert.get(), root().key.get(), EVP_sha256()) > 0);
    return pair;
}

}  // namespace

const std::string& test_root_pem() {
    static const std::string pem = [] {
        BIO* memory = BIO_new(BIO_s_mem());
        PEM_write_bio_X509(memory, root().cert.get());
        char* data = nullptr;
        const long size = BIO_get_mem_data(memory, &data);
        std::string text(data, static_cast<std::size_t>(size));
        BIO_free(memory);
        return text;
    }();
    return pem;
}

WireTls::WireTls(const WireIdentity& identity) : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    const Pair leaf = make_leaf(identity);
    require(SSL_CTX_use_certificate(context_.get(), leaf.cert.get()) == 1);
    require(SSL_CTX_use_PrivateKey(context_.get(), leaf.key.get()) == 1);
}

void WireTls::Free::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

WireTls::Session WireTls::accept(int fd) const {
    Session session(SSL_new(context_.get()));
    SSL_set_fd(session.get(), fd);
    if (SSL_accept(session.get()) == 1) return session;
    ERR_clear_error();
    return nullptr;
}

long WireTls::read(SSL* ssl, void* out, std::size_t size) {
    const int got = SSL_read(ssl, out, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
    if (got > 0) return got;
    const bool at_end = SSL_get_error(ssl, got) == SSL_ERROR_ZERO_RETURN;
    ERR_clear_error();
    return at_end ? 0 : -1;
}

long WireTls::write(SSL* ssl, const void* data, std::size_t size) {
    const int sent = SSL_write(ssl, data, static_cast<int>(std::min<std::size_t>(size, INT_MAX)));
    if (sent <= 0) ERR_clear_error();
    return sent > 0 ? sent : -1;
}

void WireTls::close(SSL* ssl) {
    SSL_shutdown(ssl);
    ERR_clear_error();
}

}  // namespace azlock::test
