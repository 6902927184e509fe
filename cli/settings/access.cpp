// Endpoint and credential for one TARGET, from the settings and from the TARGET itself.
#include "cli/settings/settings.hpp"

namespace azlock::cli {
namespace {

// What is missing may be in the file that cannot be read.
Error missing(const Settings& settings, Error otherwise) {
    return settings.unread_file ? *settings.unread_file : std::move(otherwise);
}

Result<azure::Credential> configured_credential(const Settings& settings) {
    if (!settings.key.empty()) return azure::Credential::shared_key(settings.account, settings.key);
    if (!settings.sas.empty()) return azure::Credential::sas(settings.sas);
    if (settings.unread_file) return fail(*settings.unread_file);
    return azure::Credential::anonymous();
}

Error no_account() {
    return make_error(ErrorCode::config, "no storage account is configured",
                      "set AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT, or give the blob's URL");
}

Result<azure::Credential> credential_for(const Settings& settings, const azure::Target& target) {
    if (!target.sas.empty()) return azure::Credential::sas(target.sas);
    const bool configured = !settings.key.empty() || !settings.sas.empty();
    // A secret is never sent to an account that it does not belong to.
    if (target.endpoint && configured && !settings.account.empty() && target.endpoint->account != settings.account) {
        return fail(ErrorCode::config,
                    "the URL names account '" + target.endpoint->account +
                        "', but the configured credential belongs to '" + settings.account + "'",
                    "give a URL with a SAS, or configure that account");
    }
    if (target.endpoint && !settings.key.empty() && settings.account.empty())
        return fail(missing(settings, no_account()));
    return configured_credential(settings);
}

Result<Access> checked(Access access, const Settings& settings) {
    auto ok = azure::check_transport_security(access.endpoint, access.credential, settings.allow_insecure_http);
    if (!ok) return fail(ok.error());
    return access;
}

}  // namespace

Result<Access> access_to(const Settings& settings, std::string_view text, azure::Names names) {
    auto target = azure::parse_target(text, settings.endpoint, names);
    if (!target) return fail(target.error());
    if (!target->endpoint && !settings.endpoint) return fail(missing(settings, no_account()));
    auto credential = credential_for(settings, *target);
    if (!credential) return fail(credential.error());
    return checked({target->endpoint ? *target->endpoint : *settings.endpoint, std::move(*credential),
                    std::move(target->address), target->endpoint ? "the URL" : settings.endpoint_from,
                    target->sas.empty() ? settings.credential_from : "the URL"},
                   settings);
}

Result<Access> access_to_account(const Settings& settings) {
    if (!settings.endpoint) return fail(missing(settings, no_account()));
    auto credential = configured_credential(settings);
    if (!credential) return fail(credential.error());
    return checked({*settings.endpoint, std::move(*credential), {}, settings.endpoint_from, settings.credential_from},
                   settings);
}

}  // namespace azlock::cli
