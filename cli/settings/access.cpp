// Endpoint and credential for one TARGET, from the settings and from the TARGET itself.
#include "cli/settings/near_miss.hpp"
#include "cli/settings/settings.hpp"

namespace azlock::cli {
namespace {

// What is missing may be in the file that cannot be read.
Error missing(const Settings& settings, Error otherwise) {
    return settings.unread_file ? *settings.unread_file : std::move(otherwise);
}

Error not_set(const Settings& settings, const char* what, const char* hint) {
    return missing(settings,
                   make_error(ErrorCode::auth, settings.auth_mode_from + " wants " + what + ", and none is set", hint));
}

// The error of a secret that cannot be used names where it comes from.
Result<azure::Credential> named(const std::string& from, Result<azure::Credential> made) {
    if (!made && !from.empty()) made.error().message = from + ": " + made.error().message;
    return made;
}

Result<azure::Credential> key_of(const Settings& settings) {
    return named(settings.credential_from, azure::Credential::shared_key(settings.account, settings.key));
}

Result<azure::Credential> sas_of(const Settings& settings) {
    return named(settings.credential_from, azure::Credential::sas(settings.sas));
}

Result<azure::Credential> configured_credential(const Settings& settings, const Login& login,
                                                const azure::Endpoint& endpoint) {
    switch (settings.auth_mode) {
        case AuthMode::automatic:
            if (!settings.key.empty()) return key_of(settings);
            if (!settings.sas.empty()) return sas_of(settings);
            if (settings.unread_file) return fail(*settings.unread_file);
            return login(endpoint);
        case AuthMode::key:
            if (!settings.key.empty()) return key_of(settings);
            return fail(
                not_set(settings, "an account key", "set AZURE_STORAGE_KEY, or a connection string that has the key"));
        case AuthMode::sas:
            if (!settings.sas.empty()) return sas_of(settings);
            return fail(not_set(settings, "a SAS", "set AZURE_STORAGE_SAS_TOKEN, or give a URL with a SAS"));
        case AuthMode::login: return login(endpoint);
        case AuthMode::anonymous: break;
    }
    return azure::Credential::anonymous();
}

Error no_account() {
    const std::string mistaken = near_miss();
    return make_error(ErrorCode::config, "no storage account is configured",
                      mistaken.empty()
                          ? "set AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT, or give the blob's URL"
                          : mistaken);
}

bool uses_secret_of_account(const Settings& settings) {
    switch (settings.auth_mode) {
        case AuthMode::automatic: return !settings.key.empty() || !settings.sas.empty();
        case AuthMode::key: return !settings.key.empty();
        case AuthMode::sas: return !settings.sas.empty();
        case AuthMode::login:
        case AuthMode::anonymous: break;
    }
    return false;
}

Result<azure::Credential> credential_for(const Settings& settings, const Login& login, const azure::Target& target,
                                         const azure::Endpoint& endpoint) {
    if (!target.sas.empty()) {
        const bool by_flag = settings.auth_mode_from.starts_with("--");
        if (!by_flag || settings.auth_mode == AuthMode::sas) {
            return named("the URL", azure::Credential::sas(target.sas));
        }
        return fail(ErrorCode::usage, "the URL has a SAS, and " + settings.auth_mode_from + " wants something else",
                    "remove the one or the other");
    }
    // A secret is never sent to an account that it does not belong to.
    const bool configured = uses_secret_of_account(settings);
    if (target.endpoint && configured && !settings.account.empty() && target.endpoint->account != settings.account) {
        return fail(ErrorCode::config,
                    "the URL names account '" + target.endpoint->account +
                        "', but the configured credential belongs to '" + settings.account + "'",
                    "give a URL with a SAS, or configure that account");
    }
    if (target.endpoint && configured && !settings.key.empty() && settings.account.empty())
        return fail(missing(settings, no_account()));
    return configured_credential(settings, login, endpoint);
}

std::string credential_from(const Settings& settings, const azure::Credential& credential) {
    using Kind = azure::Credential::Kind;
    const bool secret = credential.kind() == Kind::shared_key || credential.kind() == Kind::sas;
    return secret ? settings.credential_from : settings.auth_mode_from;
}

Result<Access> checked(Access access, const Settings& settings) {
    auto ok = azure::check_transport_security(access.endpoint, access.credential, settings.allow_insecure_http);
    if (!ok) return fail(ok.error());
    return access;
}

}  // namespace

Result<Access> access_to(const Settings& settings, const Login& login, std::string_view text, azure::Names names) {
    auto target = azure::parse_target(text, settings.endpoint, names);
    if (!target) return fail(target.error());
    if (!target->endpoint && !settings.endpoint) return fail(missing(settings, no_account()));
    const azure::Endpoint& endpoint = target->endpoint ? *target->endpoint : *settings.endpoint;
    auto credential = credential_for(settings, login, *target, endpoint);
    if (!credential) return fail(credential.error());
    const std::string from = target->sas.empty() ? credential_from(settings, *credential) : "the URL";
    return checked({endpoint, std::move(*credential), std::move(target->address),
                    target->endpoint ? "the URL" : settings.endpoint_from, from},
                   settings);
}

Result<Access> access_to_account(const Settings& settings, const Login& login) {
    if (!settings.endpoint) return fail(missing(settings, no_account()));
    auto credential = configured_credential(settings, login, *settings.endpoint);
    if (!credential) return fail(credential.error());
    const std::string from = credential_from(settings, *credential);
    return checked({*settings.endpoint, std::move(*credential), {}, settings.endpoint_from, from}, settings);
}

}  // namespace azlock::cli
