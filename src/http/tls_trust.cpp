#include "http/tls_trust.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/file.hpp"
#include "base/needs_memory.hpp"
#include "http/message.hpp"

// The HTTP library calls this for every connection, before its callback lets us set our own store. What OpenSSL's
// version reads would be thrown away. The dynamic linker prefers this one in the executable. It reads nothing and saves
// 20 ms of CPU per connection. If OpenSSL's version is called after all, only this time is lost.
extern "C" int SSL_CTX_set_default_verify_paths(SSL_CTX* /*context*/) {
    return 1;
}

namespace azlock::http {
namespace {

template <typename T, void (*Free)(T*)>
struct Freer {
    void operator()(T* object) const { Free(object); }
};
using X509Ptr = std::unique_ptr<X509, Freer<X509, X509_free>>;

// Adds the certificates of a PEM file to the store and returns how many. Error (io): there is no descriptor for it.
Result<int> add_bundle(X509_STORE* store, const std::string& path) {
    auto opened = open_whole_input(path);
    if (!opened && opened.error().code == ErrorCode::io) return fail(opened.error());
    FILE* const stream = opened ? ::fdopen(opened->get(), "r") : nullptr;
    if (stream == nullptr) return 0;
    (void)opened->release();
    const std::unique_ptr<BIO, Freer<BIO, BIO_free_all>> file(needs_memory(BIO_new_fp(stream, BIO_CLOSE)));
    int added = 0;
    for (;;) {
        const X509Ptr certificate(PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr));
        if (!certificate) break;
        added += X509_STORE_add_cert(store, certificate.get());
    }
    ERR_clear_error();
    return added;
}

// The data of our X509_LOOKUP: bundles that are read when the first unknown issuer is looked up.
struct LazyBundles {
    std::vector<std::string> paths;
    std::shared_ptr<std::atomic<bool>> out_of_files;
    std::mutex mutex = {};
    bool read = false;

    void read_into(X509_STORE* store) {
        const std::lock_guard lock(mutex);
        if (read) return;
        read = true;
        for (const std::string& path : paths) read = add_bundle(store, path).has_value() && read;
        *out_of_files = !read;
    }
};

int find_in_bundles(X509_LOOKUP* lookup, X509_LOOKUP_TYPE type, const X509_NAME* name, X509_OBJECT* out) {
    if (type != X509_LU_X509) return 0;
    auto* bundles = static_cast<LazyBundles*>(X509_LOOKUP_get_method_data(lookup));
    X509_STORE* store = X509_LOOKUP_get_store(lookup);
    bundles->read_into(store);
    X509_STORE_lock(store);
    X509_OBJECT* found = X509_OBJECT_retrieve_by_subject(X509_STORE_get0_objects(store), type, name);
    X509* certificate = found != nullptr ? X509_OBJECT_get0_X509(found) : nullptr;
    const int ok = certificate != nullptr ? X509_OBJECT_set1_X509(out, certificate) : 0;
    // The caller takes its own reference. The store keeps the certificate alive until then.
    if (ok != 0) X509_free(certificate);
    X509_STORE_unlock(store);
    return ok;
}

void free_bundles(X509_LOOKUP* lookup) {
    delete static_cast<LazyBundles*>(X509_LOOKUP_get_method_data(lookup));
}

X509_LOOKUP_METHOD* bundle_method() {
    static X509_LOOKUP_METHOD* const method = [] {
        X509_LOOKUP_METHOD* made = needs_memory(X509_LOOKUP_meth_new("azlock bundles"));
        X509_LOOKUP_meth_set_get_by_subject(made, find_in_bundles);
        X509_LOOKUP_meth_set_free(made, free_bundles);
        return made;
    }();
    return method;
}

}  // namespace

std::vector<std::string> TrustStore::default_bundles() {
    std::vector<std::string> bundles;
    if (const char* file = std::getenv(X509_get_default_cert_file_env()); file != nullptr && *file != '\0') {
        bundles.emplace_back(file);
    }
    bundles.emplace_back(X509_get_default_cert_file());
    return bundles;
}

Result<std::shared_ptr<const TrustStore>> TrustStore::load(const std::string& ca_file,
                                                           std::vector<std::string> bundles) {
    const std::shared_ptr<TrustStore> trust(new TrustStore(needs_memory(X509_STORE_new())));
    X509_STORE* store = trust->store_;
    const auto added = ca_file.empty() ? Result<int>(0) : add_bundle(store, ca_file);
    if (!added) return fail(added.error());
    if (!ca_file.empty() && *added == 0) {
        return fail(ErrorCode::config, "no certificate could be read from the CA file '" + ca_file + "'",
                    "--ca-file needs a readable file with certificates in PEM format");
    }
    X509_LOOKUP* folder = needs_memory(X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir()));
    X509_LOOKUP_add_dir(folder, nullptr, X509_FILETYPE_DEFAULT);
    X509_LOOKUP* lookup = needs_memory(X509_STORE_add_lookup(store, bundle_method()));
    X509_LOOKUP_set_method_data(lookup, new LazyBundles{std::move(bundles), trust->out_of_files_});
    return trust;
}

TrustStore::~TrustStore() {
    X509_STORE_free(store_);
}

void TrustStore::apply(SSL_CTX* context, const std::string& host) const {
    SSL_CTX_set1_cert_store(context, store_);
    needs_memory(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION));
    X509_VERIFY_PARAM* rules = SSL_CTX_get0_param(context);
    if (is_ip_address(host)) {
        needs_memory(X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()));
    } else {
        X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        needs_memory(X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()));
    }
}

}  // namespace azlock::http
