#include "ops/login/managed_identity.hpp"

#include "base/text.hpp"
#include "ops/login/arc_identity.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

using namespace std::chrono_literals;

// How long azlock waits for an answer where nobody has said that there is a metadata service.
constexpr auto kProbeTime = 1s;

std::string variable(const IdentityOptions& options, const char* name) {
    return std::string(trim(options.environment(name)));
}

// What the hosts differ in.
struct Host {
    std::string title;
    http::Origin origin;
    std::string path;
    http::Method method = http::Method::get;
    Form form;                         // of the query, or of the body of a POST
    bool metadata = true;              // it wants the header Metadata
    const char* secret_header = "";    // which header proves that the request comes from this host
    const char* secret_variable = "";  // and where its value is
    TokenRetries retries = {};
};

class IdentitySource final : public TokenSource {
  public:
    IdentitySource(IdentityOptions options, Host host) : options_(std::move(options)), host_(std::move(host)) {}

    [[nodiscard]] Result<Token> fetch(Deadline deadline, const std::stop_token& stop) override {
        if (options_.guessed && !present_) {
            if (auto ok = probe(deadline, stop); !ok) return fail(ok.error());
        }
        const BootTime sent = options_.line.clock.now();
        auto ask = request();
        if (!ask) return fail(ask.error());
        const auto answer =
            send_token_request(options_.line, std::move(*ask), host_.title, host_.retries, deadline, stop);
        if (!answer) return fail(answer.error());
        if (answer->status != 200) return fail(refused(*answer));
        const Clock& clock = options_.line.clock;
        return read_token(answer->body, {sent, clock.now(), clock.wall(), host_.title});
    }

    [[nodiscard]] std::string describe() const override { return host_.title; }
    [[nodiscard]] std::string identity() const override {
        return host_.title + " " + host_.origin.to_string() + host_.path + "?" + encode_form(host_.form);
    }

  private:
    [[nodiscard]] Result<http::Request> request() const {
        http::Request out;
        out.method = host_.method;
        out.origin = host_.origin;
        out.path = host_.path;
        if (host_.method == http::Method::post) {
            out.headers.set("Content-Type", "application/x-www-form-urlencoded");
            out.body = http::make_body(encode_form(host_.form));
        } else {
            out.query = host_.form;
        }
        if (host_.metadata) out.headers.set("Metadata", "true");
        if (*host_.secret_header == '\0') return out;
        // Read each time: the host may change it.
        const Secret secret(variable(options_, host_.secret_variable));
        auto ok = set_secret_header(out, host_.secret_header, {}, secret, host_.secret_variable);
        if (!ok) return fail(ok.error());
        return out;
    }

    // An answer shows that somebody is there. Without it the connection could hang for minutes. Other clouds have a
    // metadata service at the same address, which knows no such path.
    Status probe(Deadline deadline, const std::stop_token& stop) {
        http::Request ask;
        ask.origin = host_.origin;
        ask.path = host_.path;
        TokenRetries once;
        once.attempts = 1;
        once.try_time = kProbeTime;
        const auto answer = send_token_request(options_.line, std::move(ask), host_.title, once, deadline, stop);
        if (!answer && answer.error().code == ErrorCode::cancelled) return fail(answer.error());
        const bool foreign = answer && answer->status == 404 && !JsonTexts::read(answer->body);
        if (!answer || foreign) {
            return fail(ErrorCode::auth, host_.title + ": " + (foreign ? "something else" : "nobody") + " answers at " +
                                             host_.origin.authority());
        }
        present_ = true;
        return {};
    }

    [[nodiscard]] Error refused(const http::Response& answer) const {
        Error error = refusal_of(answer, host_.title, host_.retries);
        if (answer.status == 502 || answer.status == 504) {
            error.hint = "a proxy seems to stand between azlock and " + host_.origin.authority();
        } else if (answer.status == 400) {
            error.hint = variable(options_, "AZURE_CLIENT_ID").empty()
                             ? "assign an identity to this host; if it has several, set AZURE_CLIENT_ID"
                             : "assign the identity of AZURE_CLIENT_ID to this host, or unset the variable";
        }
        return error;
    }

    IdentityOptions options_;
    Host host_;
    bool present_ = false;
};

// An endpoint that is sent a secret.
Result<azure::Url> secret_endpoint_of(const std::string& text, const char* name) {
    auto url = read_endpoint(text, name);
    if (!url || url->origin.tls || is_near(url->origin)) return url;
    return fail(ErrorCode::config,
                std::string(name) + " is plain http to " + url->origin.authority() +
                    ", which is not on this host or in its private network",
                "azlock does not send a secret there");
}

Form resource_form(const char* version) {
    return {{"api-version", version}, {"resource", std::string(kStorageResource)}};
}

void choose_identity(const IdentityOptions& options, const char* name, Form& form) {
    const std::string client = variable(options, "AZURE_CLIENT_ID");
    if (!client.empty()) form.emplace_back(name, client);
}

Result<Host> app_service(const IdentityOptions& options) {
    const auto url = secret_endpoint_of(variable(options, "IDENTITY_ENDPOINT"), "IDENTITY_ENDPOINT");
    if (!url) return fail(url.error());
    Host host{"managed identity (App Service)", url->origin, url->path,           http::Method::get,
              resource_form("2019-08-01"),      true,        "X-IDENTITY-HEADER", "IDENTITY_HEADER"};
    host.retries.missing_passes = true;
    choose_identity(options, "client_id", host.form);
    return host;
}

Result<Host> machine_learning(const IdentityOptions& options) {
    const auto url = secret_endpoint_of(variable(options, "MSI_ENDPOINT"), "MSI_ENDPOINT");
    if (!url) return fail(url.error());
    Host host{"managed identity (Azure ML)", url->origin, url->path, http::Method::get,
              resource_form("2017-09-01"),   false,       "secret",  "MSI_SECRET"};
    const std::string fallback = variable(options, "DEFAULT_IDENTITY_CLIENT_ID");
    choose_identity(options, "clientid", host.form);
    if (host.form.size() == 2 && !fallback.empty()) host.form.emplace_back("clientid", fallback);
    return host;
}

Result<Host> cloud_shell(const IdentityOptions& options) {
    if (!variable(options, "AZURE_CLIENT_ID").empty()) {
        return fail(ErrorCode::config, "Cloud Shell has one identity, and AZURE_CLIENT_ID names another",
                    "unset AZURE_CLIENT_ID");
    }
    const auto url = read_endpoint(variable(options, "MSI_ENDPOINT"), "MSI_ENDPOINT");
    if (!url) return fail(url.error());
    return Host{"managed identity (Cloud Shell)",
                url->origin,
                url->path,
                http::Method::post,
                {{"resource", std::string(kStorageResource)}}};
}

// The retry times are the advice of the service's documentation.
Result<Host> metadata_service(const IdentityOptions& options) {
    const std::string other = variable(options, "AZURE_POD_IDENTITY_AUTHORITY_HOST");
    const auto url =
        read_endpoint(other.empty() ? "http://169.254.169.254" : other, "AZURE_POD_IDENTITY_AUTHORITY_HOST");
    if (!url) return fail(url.error());
    Host host{"managed identity", url->origin, "/metadata/identity/oauth2/token", http::Method::get,
              resource_form("2018-02-01")};
    host.retries = {6, 800ms, 10s, true, 75s};
    choose_identity(options, "client_id", host.form);
    return host;
}

}  // namespace

Result<std::unique_ptr<TokenSource>> make_managed_identity(IdentityOptions options) {
    const auto set = [&](const char* name) { return !variable(options, name).empty(); };
    Result<Host> host = fail(ErrorCode::config, {});
    if (set("IDENTITY_ENDPOINT") && set("IDENTITY_HEADER")) {
        if (set("IDENTITY_SERVER_THUMBPRINT")) {
            return fail(ErrorCode::config, "azlock does not support the managed identity of Service Fabric",
                        "use a service principal, or pass a SAS to the service");
        }
        host = app_service(options);
    } else if (set("MSI_ENDPOINT")) {
        host = set("MSI_SECRET") ? machine_learning(options) : cloud_shell(options);
    } else if ((set("IDENTITY_ENDPOINT") && set("IMDS_ENDPOINT")) || has_arc_agent()) {
        return make_arc_identity(options.line, variable(options, "IDENTITY_ENDPOINT"),
                                 variable(options, "AZURE_CLIENT_ID"));
    } else {
        host = metadata_service(options);
    }
    if (!host) return fail(host.error());
    if (host->title != "managed identity") options.guessed = false;  // the variables say that it is there
    return std::make_unique<IdentitySource>(std::move(options), std::move(*host));
}

}  // namespace azlock::ops
