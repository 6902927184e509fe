// Where account, credential and limits come from: flag, then environment, then configuration file, then default.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "azure/address.hpp"
#include "azure/credential.hpp"
#include "base/result.hpp"

namespace azlock::cli {

// The global flags as they were given; empty: not given.
struct GlobalFlags {
    std::string config_file;
    std::string connection_string_file;
    std::string account;
    std::string account_key_file;
    std::string sas_file;
    std::string endpoint;
    std::string auth_mode;
    std::string credential;
    bool token_cache = false;
    std::string api_version;
    std::string ca_file;
    bool allow_insecure_http = false;
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<std::chrono::milliseconds> try_timeout;
    std::optional<int> retries;
    bool json = false;
    bool quiet = false;
    std::string color = "auto";
    int verbose = 0;
};

// The name of each setting at its source, for messages: "AZURE_STORAGE_KEY", "account_key in FILE".
struct AccountNames {
    std::string connection_string;
    std::string key;
    std::string sas;
    std::string endpoint;
    std::string account;
};

// The account settings of one level: flags, environment or configuration file.
struct AccountLevel {
    std::string connection_string;
    std::string account;
    Secret key;
    Secret sas;
    std::string endpoint;
    AccountNames names = {};
};

// Which kind of credential is used. `automatic`: a SAS in the URL, a key, a SAS that is set, or else a login.
enum class AuthMode { automatic, key, sas, login, anonymous };
inline constexpr const char* kAuthModes[] = {"key", "sas", "login", "anonymous"};

// Everything that does not depend on the TARGET.
struct Settings {
    std::optional<azure::Endpoint> endpoint;  // of the configured account, if there is one
    std::string account;
    Secret key;
    Secret sas;
    std::string endpoint_from;    // AccountNames; that of the account, if the endpoint follows from it
    std::string credential_from;  // AccountNames
    AuthMode auth_mode = AuthMode::automatic;
    std::string auth_mode_from;  // "--auth-mode", "AZURE_STORAGE_AUTH_MODE"; empty: automatic
    std::string credential;      // the source of a login's tokens; empty: not chosen
    bool token_cache = false;    // other azlocks may use the tokens of this one, and the other way round
    std::string api_version;
    std::string ca_file;
    bool allow_insecure_http = false;
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<std::chrono::milliseconds> try_timeout;  // default: that of PipelineOptions
    std::optional<int> retries;
    // The default configuration file exists but cannot be read: matters only if something is missing that it may hold.
    std::optional<Error> unread_file;
};

// Reads environment and files. `-` as a file is standard input (for one of them). Errors (config) name the setting
// and where it came from, never its value.
[[nodiscard]] Result<Settings> load_settings(const GlobalFlags& flags);

// Merges the levels, highest first. A credential of a lower level is used only with the account that it belongs to.
[[nodiscard]] Status merge_account(const std::vector<AccountLevel>& levels, Settings& settings);

// Endpoint and credential for one TARGET.
struct Access {
    azure::Endpoint endpoint;
    azure::Credential credential;
    azure::BlobAddress address;
    std::string endpoint_from;    // as in Settings, or "the URL"
    std::string credential_from;  // the same; empty: there is none
};
// Logs in at the cloud of an endpoint's account.
using Login = std::function<Result<azure::Credential>(const azure::Endpoint& endpoint)>;
// Errors: auth (there is no credential), config, usage.
[[nodiscard]] Result<Access> access_to(const Settings& settings, const Login& login, std::string_view target,
                                       azure::Names names = azure::Names::kept);
// The same for the account itself (to list containers). Error: config, if no account is configured.
[[nodiscard]] Result<Access> access_to_account(const Settings& settings, const Login& login);

}  // namespace azlock::cli
