#include "cli/settings/settings.hpp"

#include <algorithm>
#include <type_traits>

#include "azure/connection_string.hpp"
#include "azure/names.hpp"
#include "azure/types.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/settings/config_file.hpp"
#include "cli/settings/read_input.hpp"
#include "ops/login/choose.hpp"

namespace azlock::cli {
namespace {

std::string trimmed_environment(const char* name) {
    return std::string(trim(environment(name)));
}

Error named(const std::string& source, Error error) {
    error.message = source + ": " + error.message;
    return error;
}

Error in(const std::string& source, Error error) {
    error.code = ErrorCode::config;
    return named(source, std::move(error));
}

// `out`: a string or a Secret.
template <typename Out>
Status secret_file(const std::string& path, const std::string& source, Out& out) {
    if (path.empty()) return {};
    auto text = read_small_file(path);
    if (!text) return fail(in(source, text.error()));
    out = Out(std::string(trim(*text)));
    if (trim(*text).empty()) return fail(ErrorCode::config, source + ": '" + path + "' is empty");
    return {};
}

Result<AccountLevel> level_of_flags(const GlobalFlags& flags) {
    AccountLevel level;
    level.account = flags.account;
    level.endpoint = flags.endpoint;
    level.names = {"--connection-string-file", "--account-key-file", "--sas-file", "--endpoint", "--account"};
    Status ok = secret_file(flags.connection_string_file, level.names.connection_string, level.connection_string);
    if (ok) ok = secret_file(flags.account_key_file, level.names.key, level.key);
    if (ok) ok = secret_file(flags.sas_file, level.names.sas, level.sas);
    if (!ok) return fail(ok.error());
    return level;
}

AccountLevel level_of_environment() {
    AccountLevel level;
    level.names = {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN",
                   "AZURE_STORAGE_SERVICE_ENDPOINT", "AZURE_STORAGE_ACCOUNT"};
    level.connection_string = trimmed_environment("AZURE_STORAGE_CONNECTION_STRING");
    level.account = trimmed_environment("AZURE_STORAGE_ACCOUNT");
    level.key = Secret(trimmed_environment("AZURE_STORAGE_KEY"));
    level.sas = Secret(trimmed_environment("AZURE_STORAGE_SAS_TOKEN"));
    level.endpoint = trimmed_environment("AZURE_STORAGE_SERVICE_ENDPOINT");
    return level;
}

// A relative path in the configuration file begins at the file's folder, wherever azlock is started.
std::string path_beside(const std::string& file, const std::string& path) {
    if (path.empty() || path == "-" || path.starts_with('/')) return path;
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? path : file.substr(0, slash + 1) + path;
}

std::string value_of(const ConfigValues& config, const char* key) {
    const auto it = config.find(key);
    return it == config.end() ? std::string() : it->second;
}

Result<AccountLevel> level_of_config(const ConfigValues& config, const std::string& file) {
    AccountLevel level;
    level.account = value_of(config, "account");
    level.endpoint = value_of(config, "endpoint");
    level.names.account = "account in " + file;
    level.names.endpoint = "endpoint in " + file;
    const auto read = [&](const char* key, const char* file_key, std::string& name, auto& out) -> Status {
        const std::string direct = value_of(config, key);
        name = std::string(direct.empty() ? file_key : key) + " in " + file;
        if (direct.empty()) return secret_file(path_beside(file, value_of(config, file_key)), file_key, out);
        out = std::decay_t<decltype(out)>(direct);
        return {};
    };
    Status ok =
        read("connection_string", "connection_string_file", level.names.connection_string, level.connection_string);
    if (ok) ok = read("account_key", "account_key_file", level.names.key, level.key);
    if (ok) ok = read("sas_token", "sas_file", level.names.sas, level.sas);
    if (!ok) return fail(ok.error());
    return level;
}

Status take_limits(const GlobalFlags& flags, const ConfigValues& config, const std::string& file, Settings& settings) {
    settings.api_version = flags.api_version;
    if (settings.api_version.empty()) settings.api_version = value_of(config, "api_version");
    if (settings.api_version.empty()) settings.api_version = azure::kDefaultApiVersion;
    settings.ca_file = flags.ca_file.empty() ? path_beside(file, value_of(config, "ca_file")) : flags.ca_file;
    settings.allow_insecure_http = flags.allow_insecure_http || value_of(config, "allow_insecure_http") == "true";

    const auto duration = [&](const char* key, const std::optional<std::chrono::milliseconds>& flag,
                              std::optional<std::chrono::milliseconds>& out) -> Status {
        out = flag;
        const std::string text = value_of(config, key);
        if (out || text.empty()) return {};
        const auto parsed = parse_duration(text);
        if (!parsed) return fail(in(std::string("configuration key ") + key, parsed.error()));
        out = *parsed;
        return {};
    };
    if (auto ok = duration("timeout", flags.timeout, settings.timeout); !ok) return ok;
    if (settings.timeout == std::chrono::milliseconds(0)) settings.timeout.reset();  // 0: none
    if (auto ok = duration("try_timeout", flags.try_timeout, settings.try_timeout); !ok) return ok;
    if (settings.try_timeout == std::chrono::milliseconds(0)) {
        const bool by_flag = flags.try_timeout.has_value();
        return fail(by_flag ? ErrorCode::usage : ErrorCode::config,
                    std::string(by_flag ? "--try-timeout" : "configuration key try_timeout") +
                        ": 0 leaves no time for an attempt");
    }
    settings.retries = flags.retries;
    if (const std::string text = value_of(config, "retries"); !settings.retries && !text.empty()) {
        const auto number = parse_u64(text);
        if (!number || *number > 1000)
            return fail(ErrorCode::config, "configuration key retries: not a number up to 1000");
        settings.retries = static_cast<int>(*number);
    }
    return {};
}

Status take_auth_mode(const GlobalFlags& flags, const ConfigValues& config, const std::string& file,
                      Settings& settings) {
    settings.credential = flags.credential.empty() ? value_of(config, "credential") : flags.credential;
    const auto known = ops::credential_names();
    if (!settings.credential.empty() && std::find(known.begin(), known.end(), settings.credential) == known.end()) {
        std::string list;
        for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
        return fail(ErrorCode::config, "credential in " + file + " is none of " + list);
    }
    const std::pair<std::string, std::string> places[] = {
        {flags.auth_mode, "--auth-mode"},
        {flags.credential.empty() ? "" : "login", "--credential"},
        {trimmed_environment("AZURE_STORAGE_AUTH_MODE"), "AZURE_STORAGE_AUTH_MODE"},
        {value_of(config, "auth_mode"), "auth_mode in " + file}};
    for (const auto& [text, place] : places) {
        if (text.empty()) continue;
        settings.auth_mode_from = place;
        for (std::size_t i = 0; i < std::size(kAuthModes); ++i) {
            if (text == kAuthModes[i]) settings.auth_mode = static_cast<AuthMode>(i + 1);
        }
        // The value is not printed: it may be a secret in the wrong place.
        if (settings.auth_mode == AuthMode::automatic) {
            return fail(ErrorCode::config, place + " is none of key, sas, login and anonymous");
        }
        break;
    }
    if (!flags.credential.empty() && settings.auth_mode != AuthMode::login) {
        return fail(ErrorCode::usage, "--credential names a login, and --auth-mode wants something else");
    }
    return {};
}

Status take_token_cache(const GlobalFlags& flags, const ConfigValues& config, Settings& settings) {
    const std::string text = trimmed_environment("AZLOCK_TOKEN_CACHE");
    const bool yes = text == "1" || text == "true";
    if (!text.empty() && !yes && text != "0" && text != "false") {
        return fail(ErrorCode::config, "AZLOCK_TOKEN_CACHE is neither 1 nor 0");
    }
    settings.token_cache = flags.token_cache || (text.empty() ? value_of(config, "token_cache") == "true" : yes);
    return {};
}

void take_endpoint(const azure::Endpoint& endpoint, const std::string& from, Settings& settings) {
    settings.endpoint = endpoint;
    settings.endpoint_from = from;
}

// A key with the name of its setting, and a SAS with its own. What --auth-mode does not want is left out, so that it
// does not keep away what it wants.
struct Named {
    const Secret& secret;
    const std::string& from;
};
void take_credential(const Named& key, const Named& sas, Settings& settings) {
    if (!settings.key.empty() || !settings.sas.empty()) return;
    if (settings.auth_mode != AuthMode::key && !sas.secret.empty()) {
        settings.sas = sas.secret;
        settings.credential_from = sas.from;
    }
    if (settings.auth_mode != AuthMode::sas && !key.secret.empty()) {
        settings.key = key.secret;
        settings.credential_from = key.from;
    }
}

// Fills settings that are still empty from one level's connection string.
Status take_connection_string(const AccountLevel& level, Settings& settings) {
    if (level.connection_string.empty()) return {};
    const auto parsed = azure::parse_connection_string(level.connection_string);
    const std::string& from = level.names.connection_string;
    if (!parsed) return fail(in(from, parsed.error()));
    if (!settings.account.empty() && settings.account != parsed->account) return {};  // of another account
    settings.account = parsed->account;
    if (!settings.endpoint) take_endpoint(parsed->endpoint, from, settings);
    take_credential({parsed->key, from}, {parsed->sas, from}, settings);
    return {};
}

// True if the address names its account, in its path or as ACCOUNT.blob.SUFFIX. A custom domain does not.
bool names_its_account(const azure::Endpoint& endpoint) {
    const std::string& host = endpoint.origin.host;
    return !endpoint.base_path.empty() || host.find(".blob.") == host.find('.');
}

Status take_level_endpoint(const AccountLevel& level, Settings& settings) {
    if (settings.endpoint || level.endpoint.empty()) return {};
    auto endpoint = azure::parse_endpoint(level.endpoint);
    if (!endpoint) return fail(in(level.names.endpoint, endpoint.error()));
    const bool of_higher_level = level.account.empty() && !settings.account.empty();
    if (of_higher_level && names_its_account(*endpoint) && endpoint->account != settings.account) return {};
    if (settings.account.empty()) settings.account = endpoint->account;
    endpoint->account = settings.account;
    take_endpoint(*endpoint, level.names.endpoint, settings);
    return {};
}

Status take_parts(const AccountLevel& level, Settings& settings) {
    if (!settings.account.empty() && !level.account.empty() && settings.account != level.account) return {};
    if (settings.account.empty() && !level.account.empty()) {
        if (auto ok = azure::check_account_name(level.account); !ok)
            return fail(named(level.names.account, ok.error()));
        settings.account = level.account;
        if (!settings.endpoint) settings.endpoint_from = level.names.account;
    }
    take_credential({level.key, level.names.key}, {level.sas, level.names.sas}, settings);
    return take_level_endpoint(level, settings);
}

}  // namespace

Status merge_account(const std::vector<AccountLevel>& levels, Settings& settings) {
    for (const AccountLevel& level : levels) {
        // If nothing else names the account, the connection string does; then its key and endpoint are used, too.
        const bool whole = settings.account.empty() && level.account.empty();
        if (whole) {
            if (auto ok = take_connection_string(level, settings); !ok) return ok;
        }
        if (auto ok = take_parts(level, settings); !ok) return ok;
        if (!whole) {
            if (auto ok = take_connection_string(level, settings); !ok) return ok;
        }
    }
    if (settings.endpoint || settings.account.empty()) return {};
    // An emulator's account may have another name, but it has an endpoint of its own.
    if (auto ok = azure::check_service_account(settings.account); !ok) {
        return fail(named(settings.endpoint_from, ok.error()));
    }
    settings.endpoint = azure::default_endpoint(settings.account);
    return {};
}

Result<Settings> load_settings(const GlobalFlags& flags) {
    const bool named = !flags.config_file.empty();
    const std::string file = named ? flags.config_file : default_config_path();
    Settings settings;
    auto text = config_text(file, named);
    if (!text && named) return fail(text.error());
    if (!text) settings.unread_file = text.error();
    const auto config = parse_config(text.value_or(""), file);
    if (!config) return fail(config.error());
    auto from_flags = level_of_flags(flags);
    if (!from_flags) return fail(from_flags.error());
    auto from_config = level_of_config(*config, file);
    if (!from_config) return fail(from_config.error());
    if (auto ok = take_auth_mode(flags, *config, file, settings); !ok) return fail(ok.error());
    if (auto ok = take_token_cache(flags, *config, settings); !ok) return fail(ok.error());
    if (auto ok = take_limits(flags, *config, file, settings); !ok) return fail(ok.error());
    if (auto ok = merge_account({std::move(*from_flags), level_of_environment(), std::move(*from_config)}, settings);
        !ok) {
        return fail(ok.error());
    }
    return settings;
}

}  // namespace azlock::cli
