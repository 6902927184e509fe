#include "azure/credential.hpp"

#include "azure/names.hpp"
#include "azure/sas_grant.hpp"
#include "azure/shared_key.hpp"
#include "azure/url.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// What no key and no SAS begins with. `what`: "the account key".
Status check_unquoted(std::string_view text, const std::string& what) {
    if (!text.starts_with('"') && !text.starts_with('\'')) return {};
    return fail(ErrorCode::config, what + " begins with a quotation mark",
                "remove the quotation marks: they are part of the value");
}

}  // namespace

Credential Credential::anonymous() {
    return {};
}

Result<Credential> Credential::shared_key(std::string_view account, const Secret& key) {
    const std::string_view text = trim(key.reveal());
    if (account.empty()) return fail(ErrorCode::config, "an account key is given but no account name");
    if (!check_account_name(account)) return fail(ErrorCode::config, "the account name is not valid");
    if (text.empty()) return fail(ErrorCode::config, "the account key is empty");
    if (auto ok = check_unquoted(text, "the account key"); !ok) return fail(ok.error());
    if (is_mask(text)) {
        return fail(ErrorCode::config, "the account key was removed from this text", "copy it from where it is kept");
    }
    const auto bytes = base64_decode(text);
    if (!bytes) return fail(ErrorCode::config, "the account key is not valid Base64", "copy it whole, with its '='");
    Credential credential;
    credential.kind_ = Kind::shared_key;
    credential.account_ = account;
    credential.secret_ = Secret(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    return credential;
}

Result<Credential> Credential::sas(const Secret& sas) {
    std::string_view text = trim(sas.reveal());
    if (text.starts_with('?')) text.remove_prefix(1);
    if (auto ok = check_unquoted(text, "the SAS"); !ok) return fail(ok.error());
    if (looks_like_url(text)) {
        return fail(ErrorCode::config, "the SAS is a whole URL", "give the part behind its '?'");
    }
    const std::string signature = query_value(text, "sig").value_or("");
    if (signature.empty()) {
        return fail(ErrorCode::config, "the SAS has no signature: the parameter sig is missing",
                    "in a shell it needs quotation marks: it is cut at the first '&' without them");
    }
    if (is_mask(signature)) {
        return fail(ErrorCode::config, "the signature was removed from this SAS",
                    "copy the SAS from where it was made, not from a log");
    }
    for (const char c : text) {
        if (c <= ' ' || c >= 0x7F || c == '#' || c == '"') {
            return fail(ErrorCode::config, "the SAS contains a character that a URL cannot have");
        }
    }
    Credential credential;
    credential.kind_ = Kind::sas;
    credential.secret_ = Secret(std::string(text));
    return credential;
}

Credential Credential::login(std::shared_ptr<Tokens> tokens) {
    Credential credential;
    credential.kind_ = Kind::login;
    credential.tokens_ = std::move(tokens);
    return credential;
}

std::string Credential::describe() const {
    switch (kind_) {
        case Kind::anonymous: return "anonymous";
        case Kind::shared_key: return "account key of " + account_;
        case Kind::sas: return "SAS";
        case Kind::login: return "login by " + tokens_->describe();
    }
    return {};
}

std::optional<SasTerms> Credential::sas_terms() const {
    return kind_ == Kind::sas ? std::optional(read_sas(secret_.reveal())) : std::nullopt;
}

Result<Secret> Credential::sign_sas(const SasGrant& grant) const {
    if (kind_ != Kind::shared_key) {
        return fail(ErrorCode::auth,
                    "a SAS is made with the account key or a login, not with this credential: " + describe(),
                    "set AZURE_STORAGE_CONNECTION_STRING with its AccountKey, or AZURE_STORAGE_ACCOUNT with "
                    "AZURE_STORAGE_KEY; or log in (--auth-mode login)");
    }
    return signed_sas(grant, account_, as_bytes(secret_.reveal()));
}

std::string Credential::string_to_sign(const http::Request& request) const {
    return kind_ == Kind::shared_key ? azure::string_to_sign(request, account_) : std::string();
}

Status Credential::authorize(http::Request& request, Deadline deadline, const std::stop_token& stop) const {
    if (kind_ == Kind::shared_key) {
        const std::string signature = sign(as_bytes(secret_.reveal()), string_to_sign(request));
        request.headers.set("Authorization", "SharedKey " + account_ + ":" + signature);
    } else if (kind_ == Kind::sas) {
        request.secret_query = secret_;
    } else if (kind_ == Kind::login) {
        const auto token = tokens_->token(deadline, stop);
        if (!token) return fail(token.error());
        request.headers.set("Authorization", std::string(kBearer) + token->reveal());
    }
    return {};
}

void Credential::renew_after(const http::Request& refused) const {
    const std::string_view sent = refused.headers.get("Authorization");
    if (kind_ == Kind::login && sent.starts_with(kBearer)) {
        tokens_->refused(Secret(std::string(sent.substr(kBearer.size()))));
    }
}

Status Credential::last_for(std::chrono::nanoseconds life, Deadline deadline, const std::stop_token& stop) const {
    return kind_ == Kind::login ? tokens_->last_for(life, deadline, stop) : Status();
}

std::optional<TokenFacts> Credential::token_facts() const {
    return kind_ == Kind::login ? tokens_->facts() : std::nullopt;
}

Status check_transport_security(const Endpoint& endpoint, const Credential& credential, bool allow_insecure_http) {
    if (endpoint.origin.tls || allow_insecure_http || credential.kind() == Credential::Kind::anonymous ||
        is_loopback(endpoint.origin)) {
        return {};
    }
    return fail(ErrorCode::config,
                "refusing to use the " + credential.describe() + " over plain http to " + endpoint.origin.authority(),
                "use https, or --allow-insecure-http on a network that you trust");
}

}  // namespace azlock::azure
