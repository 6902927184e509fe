// Which certificates are accepted, and where trust comes from.
#include <cstdlib>

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include "http/tls_trust.hpp"
#include "transport/contract.hpp"

using namespace azlock;
using namespace azlock::test;
using http::Method;

namespace {

WireOptions tls_with(WireIdentity identity = {}) {
    WireOptions options;
    options.tls = true;
    options.identity = std::move(identity);
    return options;
}

// Sets SSL_CERT_FILE for as long as it lives.
class CertFileVariable {
  public:
    explicit CertFileVariable(const std::string& value) { ::setenv("SSL_CERT_FILE", value.c_str(), 1); }
    ~CertFileVariable() { ::unsetenv("SSL_CERT_FILE"); }
    CertFileVariable(const CertFileVariable&) = delete;
    CertFileVariable& operator=(const CertFileVariable&) = delete;
};

// Counts how often a file is opened while it lives.
class OpenCounter {
  public:
    explicit OpenCounter(const std::string& path) : fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
        REQUIRE(::inotify_add_watch(fd_.get(), path.c_str(), IN_OPEN) >= 0);
    }
    int count() {
        inotify_event event{};
        while (::read(fd_.get(), &event, sizeof event) > 0) ++count_;
        return count_;
    }

  private:
    Fd fd_;
    int count_ = 0;
};

void check_refused(const Result<http::Response>& answer) {
    REQUIRE_FALSE(answer);
    INFO(answer.error().message);
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().fault == TransportFault::tls);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK_FALSE(answer.error().retryable);
    CHECK(answer.error().message.find("certificate") != std::string::npos);
    CHECK(answer.error().hint.find("--ca-file") != std::string::npos);
    CHECK(answer.error().hint.find("SSL_CERT_FILE") != std::string::npos);
}

}  // namespace

TEST_CASE("A root from --ca-file is trusted") {
    Stage stage(answer_everything(), tls_with());
    CHECK(stage.send(stage.request(Method::get)));
    CHECK(stage.server.counted("tls handshake") == 1);
}

TEST_CASE("A root from SSL_CERT_FILE is trusted") {
    const CertFileVariable variable(test_root_file());
    Stage stage(answer_everything(), tls_with(), {});
    for (int i = 0; i < 2; ++i) CHECK(stage.send(stage.request(Method::get)));
}

TEST_CASE("A certificate of an unknown root is refused, and nothing is sent") {
    Stage stage(answer_everything(), tls_with(), {});
    check_refused(stage.send(stage.put("body")));
    CHECK(stage.server.counted("request") == 0);
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("A certificate for another host is refused, by name and by address") {
    const auto hosts = GENERATE(as<std::vector<std::string>>{}, std::vector<std::string>{"other.example"},
                                std::vector<std::string>{"127.0.0.2", "localhost"});
    Stage stage(answer_everything(), tls_with({hosts, false}));
    check_refused(stage.send(stage.request(Method::get)));
    CHECK(stage.server.counted("request") == 0);
}

TEST_CASE("A certificate is checked against the name that was asked for, not the address behind it") {
    http::TransportOptions options = trusting();
    options.resolver = [](const std::string&, std::uint16_t port) {
        return http::resolve_with_system("127.0.0.1", port);
    };
    Stage stage(answer_everything(), tls_with({{"blob.example", "*.store.example"}, false}), options);
    http::Request request = stage.request(Method::get);
    request.origin.host = "Blob.Example";
    CHECK(stage.send(request));
    request.origin.host = "account.store.example";
    CHECK(stage.send(request));
    request.origin.host = "a.b.store.example";
    check_refused(stage.send(request));
    request.origin.host = "127.0.0.1";
    check_refused(stage.send(request));
}

TEST_CASE("An expired certificate is refused") {
    Stage stage(answer_everything(), tls_with({{"127.0.0.1"}, true}));
    check_refused(stage.send(stage.request(Method::get)));
}

TEST_CASE("A server that does not speak TLS is a TLS error") {
    WireServer server([](Wire& wire) {
        wire.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        wire.server().count("spoke");
        wire.wait_for_client();
    });
    http::Origin origin = server.origin();
    origin.tls = true;
    const auto transport = make_transport(trusting()).value();
    const auto answer = transport->send(request_of(Method::put, origin), in(kAmple), {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::tls);
    CHECK_FALSE(answer.error().may_have_applied);
    CHECK(server.wait_for("spoke"));
}

TEST_CASE("A connection that breaks during the handshake is a reset, which may be tried again") {
    WireServer server([](Wire& wire) { wire.server().count("closed"); });
    http::Origin origin = server.origin();
    origin.tls = true;
    const auto transport = make_transport(trusting()).value();
    const auto answer = transport->send(request_of(Method::put, origin), in(kAmple), {});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().fault == TransportFault::reset);
    CHECK_FALSE(answer.error().may_have_applied);
}

TEST_CASE("A CA file that cannot be used is a configuration error that names it") {
    const TempDir directory;
    const auto content = GENERATE(as<std::optional<std::string>>{}, std::nullopt, "", "no certificate in here\n");
    const std::string path = content ? directory.write("ca.pem", *content) : directory.file("missing.pem");
    http::TransportOptions options;
    options.ca_file = path;
    const auto transport = make_transport(options);
    REQUIRE_FALSE(transport);
    CHECK(transport.error().code == ErrorCode::config);
    CHECK(transport.error().message.find(path) != std::string::npos);
}

TEST_CASE("Bundles are not read for a connection whose root is found without them") {
    const TempDir directory;
    const std::string bundle = directory.write("bundle.pem", test_root_pem());
    const CertFileVariable variable(bundle);
    OpenCounter opens(bundle);
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.answer(200, {}, "Connection: close\r\n");
        },
        tls_with());
    for (int i = 0; i < 3; ++i) CHECK(stage.send(stage.request(Method::get)));
    CHECK(stage.server.connections() == 3);
    CHECK(opens.count() == 0);
}

TEST_CASE("A bundle for which there is no descriptor is told, and read when there is one") {
    const auto trust = http::TrustStore::load({}, {test_root_file()}).value();
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> tls(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    trust->apply(tls.get(), "root.test");
    const std::string pem = test_root_pem();
    const std::unique_ptr<BIO, int (*)(BIO*)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<X509, void (*)(X509*)> root(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr),
                                                      X509_free);
    const auto trusted = [&] {
        const std::unique_ptr<X509_STORE_CTX, void (*)(X509_STORE_CTX*)> check(X509_STORE_CTX_new(),
                                                                               X509_STORE_CTX_free);
        X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(tls.get()), root.get(), nullptr);
        return X509_verify_cert(check.get()) == 1;
    };
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const bool without = trusted();
    const bool told = trust->out_of_files();
    const auto ca = http::TrustStore::load(test_root_file(), {});
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK_FALSE(without);
    CHECK(told);
    REQUIRE_FALSE(ca);
    CHECK(ca.error().code == ErrorCode::io);
    CHECK(trusted());
    CHECK_FALSE(trust->out_of_files());
}

TEST_CASE("A bundle that is needed is read once") {
    const TempDir directory;
    const std::string bundle = directory.write("bundle.pem", test_root_pem());
    const CertFileVariable variable(bundle);
    OpenCounter opens(bundle);
    Stage stage(
        [](Wire& wire) {
            wire.read_request();
            wire.answer(200, {}, "Connection: close\r\n");
        },
        tls_with(), {});
    for (int i = 0; i < 3; ++i) CHECK(stage.send(stage.request(Method::get)));
    CHECK(stage.server.connections() == 3);
    CHECK(opens.count() == 1);
}
