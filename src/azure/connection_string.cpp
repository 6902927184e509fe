#include "azure/connection_string.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "azure/credential.hpp"
#include "azure/names.hpp"
#include "azure/url.hpp"
#include "base/encoding.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

constexpr std::string_view kEmulatorAccount = "devstoreaccount1";
// Public and the same for every emulator in the world: not a secret.
constexpr std::string_view kEmulatorKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

constexpr std::string_view kKnownKeys[] = {"defaultendpointsprotocol",
                                           "accountname",
                                           "accountkey",
                                           "accountkeyname",
                                           "blobendpoint",
                                           "blobsecondaryendpoint",
                                           "queueendpoint",
                                           "queuesecondaryendpoint",
                                           "tableendpoint",
                                           "tablesecondaryendpoint",
                                           "fileendpoint",
                                           "filesecondaryendpoint",
                                           "endpointsuffix",
                                           "sharedaccesssignature",
                                           "usedevelopmentstorage",
                                           "developmentstorageproxyuri"};

using Values = std::map<std::string, std::string>;

auto bad(const std::string& what, const char* hint = "") {
    return fail(ErrorCode::config, what, hint);
}

// A value that cannot be used, for the reason of `error`.
auto bad(const char* name, Error error) {
    error.code = ErrorCode::config;
    error.message = std::string(name) + ": " + error.message;
    return fail(std::move(error));
}

Result<Values> cut(std::string_view text) {
    text = trim(text);
    if (text.starts_with('"') || text.starts_with('\'')) {
        return bad("it begins with a quotation mark", "remove the quotation marks: they are part of the value");
    }
    if (text.find_first_of("=;") == std::string_view::npos && text.find_first_of("/.") != std::string_view::npos) {
        return bad("it is not of the form NAME=VALUE;...", "if it is in a file: --connection-string-file FILE");
    }
    Values values;
    std::size_t number = 0;
    for (const std::string_view raw : split(text, ';')) {
        const std::string_view part = trim(raw);
        if (part.empty()) continue;
        ++number;
        const std::size_t equals = part.find('=');
        // Without '=' the part may be (the end of) a key: it is not repeated in the message.
        if (equals == std::string_view::npos || equals == 0) {
            return bad("part " + std::to_string(number) + " is not of the form NAME=VALUE");
        }
        const std::string_view name = trim(part.substr(0, equals));
        const std::string key = to_lower(name);
        if (std::find(std::begin(kKnownKeys), std::end(kKnownKeys), key) == std::end(kKnownKeys)) {
            // This may be a misplaced secret, so it is shown only if it looks like a word.
            const bool word =
                name.size() <= 32 && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") ==
                                         std::string_view::npos;
            return bad(word ? "unknown name '" + std::string(name) + "'"
                            : "part " + std::to_string(number) + " has an unknown name");
        }
        if (!values.emplace(key, trim(part.substr(equals + 1))).second) {
            return bad("'" + std::string(name) + "' is given twice");
        }
    }
    if (values.empty()) return bad("it is empty");
    return values;
}

std::string get(const Values& values, const std::string& key) {
    const auto it = values.find(key);
    return it == values.end() ? std::string() : it->second;
}

Result<ConnectionSettings> development(const Values& values) {
    if (!iequals(get(values, "usedevelopmentstorage"), "true")) return bad("UseDevelopmentStorage must be 'true'");
    ConnectionSettings settings = development_storage();
    for (const auto& [key, value] : values) {
        if (key == "developmentstorageproxyuri") {
            const auto url = parse_url(value);
            if (!url) return bad("DevelopmentStorageProxyUri", url.error());
            settings.endpoint.origin.tls = url->origin.tls;
            settings.endpoint.origin.host = url->origin.host;
        } else if (key != "usedevelopmentstorage") {
            return bad("only DevelopmentStorageProxyUri may be given with UseDevelopmentStorage");
        }
    }
    return settings;
}

Result<Endpoint> endpoint_of(const Values& values, const std::string& account) {
    std::string protocol = to_lower(get(values, "defaultendpointsprotocol"));
    if (protocol.empty()) protocol = "https";
    if (protocol != "https" && protocol != "http") return bad("DefaultEndpointsProtocol must be 'https' or 'http'");
    if (const std::string explicit_endpoint = get(values, "blobendpoint"); !explicit_endpoint.empty()) {
        auto endpoint = parse_endpoint(explicit_endpoint);
        if (!endpoint) return bad("BlobEndpoint", endpoint.error());
        if (!account.empty()) endpoint->account = account;
        return endpoint;
    }
    if (account.empty()) return bad("AccountName or BlobEndpoint is missing");
    if (const auto ok = check_service_account(account); !ok) return bad("AccountName", ok.error());
    const std::string suffix = get(values, "endpointsuffix");
    const Endpoint endpoint =
        default_endpoint(account, suffix.empty() ? "core.windows.net" : suffix, protocol == "https");
    // Finds a suffix that makes no host name now, not at the first request.
    if (const auto checked = parse_url(endpoint.to_string()); !checked || checked->origin != endpoint.origin) {
        return bad("AccountName and EndpointSuffix do not make a host name");
    }
    return endpoint;
}

}  // namespace

ConnectionSettings development_storage() {
    ConnectionSettings settings;
    settings.account = kEmulatorAccount;
    settings.key = Secret(std::string(kEmulatorKey));
    settings.endpoint.origin = {false, "127.0.0.1", 10000};
    settings.endpoint.base_path = "/" + std::string(kEmulatorAccount);
    settings.endpoint.account = kEmulatorAccount;
    return settings;
}

Result<ConnectionSettings> parse_connection_string(std::string_view text) {
    const auto values = cut(text);
    if (!values) return fail(values.error());
    if (values->contains("usedevelopmentstorage") || values->contains("developmentstorageproxyuri")) {
        return development(*values);
    }
    ConnectionSettings settings;
    settings.account = get(*values, "accountname");
    settings.key = Secret(get(*values, "accountkey"));
    std::string sas = get(*values, "sharedaccesssignature");
    if (sas.starts_with('?')) sas.erase(0, 1);
    settings.sas = Secret(std::move(sas));

    if (!settings.key.empty() && settings.account.empty()) return bad("AccountKey without AccountName");
    if (!settings.key.empty() && !settings.sas.empty())
        return bad("both AccountKey and SharedAccessSignature are given");
    if (values->contains("accountkey") && settings.key.empty()) return bad("AccountKey is empty");
    if (!settings.account.empty()) {
        if (const auto ok = check_account_name(settings.account); !ok) return bad("AccountName", ok.error());
    }
    if (const auto key = Credential::shared_key(settings.account, settings.key); !settings.key.empty() && !key) {
        return bad("AccountKey", key.error());
    }
    if (values->contains("sharedaccesssignature")) {
        if (const auto ok = Credential::sas(settings.sas); !ok) return bad("SharedAccessSignature", ok.error());
    }
    const bool explicit_endpoint = !get(*values, "blobendpoint").empty();
    if (!get(*values, "blobsecondaryendpoint").empty() && !explicit_endpoint) {
        return bad("BlobSecondaryEndpoint without BlobEndpoint");
    }
    if (!explicit_endpoint && settings.key.empty() && settings.sas.empty()) {
        return bad("AccountKey or SharedAccessSignature is missing");
    }
    auto endpoint = endpoint_of(*values, settings.account);
    if (!endpoint) return fail(endpoint.error());
    settings.endpoint = *endpoint;
    return settings;
}

}  // namespace azlock::azure
