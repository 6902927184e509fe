#include "ops/login/application.hpp"

#include <algorithm>

#include "azure/address.hpp"
#include "azure/url.hpp"
#include "base/file.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/login/token_answer.hpp"

namespace azlock::ops {
namespace {

constexpr std::size_t kLongestAssertion = 64 * 1024;
constexpr std::string_view kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

class ApplicationSource final : public TokenSource {
  public:
    ApplicationSource(TokenLine line, Application application, std::string title, Prove prove,
                      std::optional<WallTime> last_renewal)
        : line_(std::move(line)),
          application_(std::move(application)),
          title_(std::move(title)),
          prove_(std::move(prove)),
          last_renewal_(last_renewal) {}

    [[nodiscard]] Result<Token> fetch(Deadline deadline, const std::stop_token& stop) override {
        const auto proof = prove_(deadline, stop);
        if (!proof) return fail(proof.error());
        const BootTime sent = line_.clock.now();
        const auto answer = send_token_request(line_, request(*proof), title_, {}, deadline, stop);
        if (!answer) return fail(answer.error());
        if (answer->status != 200) return fail(refusal_of(*answer, title_, {}));
        return read_token(answer->body, {sent, line_.clock.now(), line_.clock.wall(), title_});
    }

    [[nodiscard]] std::string describe() const override {
        return title_ + " (client " + printable(application_.client_id) + ")";
    }
    [[nodiscard]] std::string identity() const override {
        return describe() + " " + application_.authority.to_string() + application_.token_path();
    }
    [[nodiscard]] std::optional<WallTime> last_renewal() const override { return last_renewal_; }

  private:
    [[nodiscard]] http::Request request(const Proof& proof) const {
        Form form{{"grant_type", "client_credentials"},
                  {"client_id", application_.client_id},
                  {"scope", std::string(kStorageScope)}};
        if (proof.kind == Proof::Kind::secret) {
            form.emplace_back("client_secret", proof.value.reveal());
        } else {
            form.emplace_back("client_assertion_type", kAssertionType);
            form.emplace_back("client_assertion", proof.value.reveal());
        }
        http::Request out;
        out.method = http::Method::post;
        out.origin = application_.authority;
        out.path = application_.token_path();
        out.headers.set("Content-Type", "application/x-www-form-urlencoded");
        out.body = http::make_body(encode_form(form));
        return out;
    }

    TokenLine line_;
    Application application_;
    std::string title_;
    Prove prove_;
    std::optional<WallTime> last_renewal_;
};

Result<std::string> read_assertion(const std::string& path) {
    const auto file = open_whole_input(path);
    if (!file) return fail(file.error());
    std::string text(kLongestAssertion + 1, '\0');
    const auto size = read_full(file->get(), std::as_writable_bytes(std::span(text)), path);
    if (!size) return fail(size.error());
    if (*size > kLongestAssertion) {
        return fail(ErrorCode::auth, "'" + printable(path) + "' is larger than 64 KiB");
    }
    text.resize(*size);
    return std::string(trim(text));
}

Status check_assertion(std::string_view jwt, const std::string& where) {
    if (jwt.empty()) return fail(ErrorCode::auth, where + " is empty");
    const bool plain =
        std::all_of(jwt.begin(), jwt.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
    if (!plain || split(jwt, '.').size() != 3) {
        return fail(ErrorCode::auth, where + " does not hold a JWT (three parts with dots between them)");
    }
    return {};
}

}  // namespace

std::string Application::token_path() const {
    return tenant == "adfs" ? "/adfs/oauth2/token" : "/" + tenant + "/oauth2/v2.0/token";
}

Result<http::Origin> read_authority(std::string_view url, const std::string& variable) {
    const auto bad = [&](const char* why) {
        return fail(ErrorCode::config, variable + " " + why, "expected https://login.microsoftonline.com");
    };
    const auto parsed = azure::parse_url(url);
    if (!parsed) return bad("is not the URL of a host");
    if ((!parsed->path.empty() && parsed->path != "/") || !parsed->query.empty()) return bad("has more than a host");
    if (!parsed->origin.tls && !azure::is_loopback(parsed->origin)) return bad("must be https: a secret goes there");
    return parsed->origin;
}

Status check_tenant(std::string_view tenant, const std::string& variable) {
    const auto is_of_tenant = [](char c) { return is_alnum(c) || c == '.' || c == '-'; };
    // Two dots would be another folder of the URL, and a minus an option of az.
    const bool plain = !tenant.empty() && is_alnum(tenant.front()) && tenant.find("..") == std::string_view::npos;
    if (plain && std::all_of(tenant.begin(), tenant.end(), is_of_tenant)) return {};
    return fail(ErrorCode::config, variable + " is not the id or the domain of a tenant");
}

Status check_client_id(std::string_view client_id, const std::string& variable) {
    const auto is_of_id = [](char c) { return is_alnum(c) || std::string_view("-._:/").find(c) != std::string::npos; };
    if (!client_id.empty() && std::all_of(client_id.begin(), client_id.end(), is_of_id)) return {};
    return fail(ErrorCode::config, variable + " is not the id of an application");
}

std::unique_ptr<TokenSource> make_application_source(TokenLine line, Application application, std::string title,
                                                     Prove prove, std::optional<WallTime> last_renewal) {
    return std::make_unique<ApplicationSource>(std::move(line), std::move(application), std::move(title),
                                               std::move(prove), last_renewal);
}

Prove prove_by_file(std::string path, std::string variable) {
    return [path = std::move(path), variable = std::move(variable)](Deadline, const std::stop_token&) -> Result<Proof> {
        auto text = read_assertion(path);
        if (!text) {
            Error error = text.error();
            error.code = ErrorCode::auth;
            error.message = variable + ": " + error.message;
            return fail(std::move(error));
        }
        const std::string where = variable + ": '" + printable(path) + "'";
        if (auto ok = check_assertion(*text, where); !ok) return fail(ok.error());
        return Proof{Proof::Kind::assertion, Secret(std::move(*text))};
    };
}

Prove prove_by_text(Secret jwt, const Clock& clock, std::string variable) {
    return [jwt = std::move(jwt), &clock, variable = std::move(variable)](Deadline,
                                                                          const std::stop_token&) -> Result<Proof> {
        if (auto ok = check_assertion(jwt.reveal(), variable); !ok) return fail(ok.error());
        const auto claims = read_claims(jwt.reveal());
        if (claims && claims->ends && *claims->ends <= clock.wall()) {
            return fail(ErrorCode::auth,
                        "the token in " + variable + " ended at " + format_iso8601(*claims->ends) +
                            ", and a variable cannot be renewed",
                        "let the job fetch a new one, or use a file that is renewed (AZURE_FEDERATED_TOKEN_FILE)");
        }
        return Proof{Proof::Kind::assertion, jwt};
    };
}

}  // namespace azlock::ops
