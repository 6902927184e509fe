#include "cli/flags/flags.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/login/choose.hpp"

namespace azlock::cli {
namespace {

std::optional<WallTime> time_of(std::string_view text) {
    const auto time = parse_http_date(text);
    return time ? time : parse_iso8601(text);
}

// True if the text is a date but for its year.
bool has_another_year(std::string_view text) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{12}}) {
        if (text.size() < at + 4 || !parse_u64(text.substr(at, 4))) continue;
        if (time_of(std::string(text).replace(at, 4, "2000"))) return true;
    }
    return false;
}

Result<WallTime> parse_time(std::string_view text) {
    if (const auto time = time_of(text)) return *time;
    if (has_another_year(text)) {
        return fail(ErrorCode::usage, in_quotes(text) + " is not in the years 1970 to 2261",
                    "azlock knows no other years");
    }
    return fail(ErrorCode::usage, in_quotes(text) + " is not a date", "write it as 2026-11-21T08:00:00Z");
}

Status read_date(const char* flag, std::string& value) {
    if (value.empty()) return {};
    auto time = parse_time(value);
    if (!time) {
        time.error().message = std::string(flag) + ": " + time.error().message;
        return fail(time.error());
    }
    value = format_http_date(*time);
    return {};
}

template <typename T, typename Read>
Option* add_parsed(Parser& command, const std::string& names, T& out, const std::string& help, const char* type,
                   Read read) {
    const auto take = [&out, read](const std::string& text) -> Status {
        const auto value = read(text);
        if (!value) return fail(value.error());
        out = *value;
        return {};
    };
    return command.add_value(names, take, help)->type_name(type);
}

}  // namespace

Option* add_duration(Parser& app, const std::string& names, std::optional<std::chrono::milliseconds>& out,
                     const std::string& help) {
    return add_parsed(app, names, out, help, "DUR", parse_duration);
}

Option* add_duration(Parser& app, const std::string& names, std::chrono::milliseconds& out, const std::string& help) {
    return add_parsed(app, names, out, help, "DUR", parse_duration);
}

Option* add_time(Parser& app, const std::string& names, std::optional<WallTime>& out, const std::string& help) {
    return add_parsed(app, names, out, help, "TIME", parse_time);
}

Option* add_size(Parser& app, const std::string& names, std::optional<std::uint64_t>& out, const std::string& help) {
    return add_parsed(app, names, out, help, "SIZE", parse_size);
}

Option* add_size(Parser& app, const std::string& names, std::uint64_t& out, const std::string& help) {
    return add_parsed(app, names, out, help, "SIZE", parse_size);
}

void add_global_flags(Parser& app, GlobalFlags& flags) {
    const auto account = [&](Option* option) { option->group("Account"); };
    account(app.add_option("--account", flags.account, "Storage account (AZURE_STORAGE_ACCOUNT)")->type_name("NAME"));
    account(app.add_option("--account-key-file", flags.account_key_file,
                           "File with the account key, - for standard input (AZURE_STORAGE_KEY holds the key itself)")
                ->type_name("FILE"));
    account(app.add_option("--sas-file", flags.sas_file,
                           "File with a SAS, - for standard input (AZURE_STORAGE_SAS_TOKEN holds the SAS itself)")
                ->type_name("FILE"));
    account(app.add_option("--connection-string-file", flags.connection_string_file,
                           "File with a connection string, - for standard input (AZURE_STORAGE_CONNECTION_STRING holds "
                           "it itself)")
                ->type_name("FILE"));
    account(app.add_option("--auth-mode", flags.auth_mode,
                           "Use the account key, a SAS, a login with Entra ID, or nothing (AZURE_STORAGE_AUTH_MODE)")
                ->type_name("MODE")
                ->choices({std::begin(kAuthModes), std::end(kAuthModes)}));
    account(app.add_option("--credential", flags.credential,
                           "Log in with this credential of Entra ID alone (AZURE_TOKEN_CREDENTIALS)")
                ->type_name("NAME")
                ->choices(ops::credential_names()));
    account(app.add_flag("--token-cache", flags.token_cache,
                         "Share the tokens of a login with other azlocks of this user (AZLOCK_TOKEN_CACHE=1)"));
    account(app.add_option("--endpoint", flags.endpoint, "Blob endpoint URL (AZURE_STORAGE_SERVICE_ENDPOINT)")
                ->type_name("URL"));
    account(app.add_option("--config", flags.config_file, "Configuration file (default ~/.config/azlock/config.toml)")
                ->type_name("FILE"));

    const auto network = [&](Option* option) { option->group("Network"); };
    network(add_duration(app, "--timeout", flags.timeout,
                         "Give up on the whole command after this time (default and 0: never)"));
    network(add_duration(app, "--try-timeout", flags.try_timeout,
                         "Give up an attempt if nothing moves for this time, plus 1s for each 64 KiB (default 60s)"));
    network(app.add_option("--retries", flags.retries, "Attempts after the first one (default 5)")
                ->type_name("N")
                ->range(0, 1000));
    network(
        app.add_option("--ca-file", flags.ca_file, "PEM file with additional trusted certificates")->type_name("FILE"));
    network(app.add_flag("--allow-insecure-http", flags.allow_insecure_http,
                         "Allow sending signatures or a SAS over plain http to another machine"));
    network(app.add_option("--api-version", flags.api_version,
                           "x-ms-version to send (default " + std::string(azure::kDefaultApiVersion) + ")")
                ->type_name("DATE"));

    const auto output = [&](Option* option) { option->group("Output"); };
    output(app.add_flag("--json", flags.json, "Print results and errors as JSON"));
    output(app.add_option("--color", flags.color, "Colours (default auto: on a terminal; NO_COLOR, CLICOLOR_FORCE)")
               ->type_name("WHEN")
               ->choices({"auto", "always", "never"}));
    output(app.add_flag("-q,--quiet", flags.quiet, "Print no notices on standard error, only errors"));
    output(app.add_flag("-v,--verbose", flags.verbose, "Log refusals and retries; -vv: log every request"));
}

void add_lease_id_flag(Parser& command, std::string& lease_id) {
    command.add_option("--lease-id", lease_id, "Lease id that the request carries")->type_name("GUID");
}

void add_condition_flags(Parser& command, ConditionFlags& flags) {
    azure::Conditions& values = flags.values;
    const auto group = [](Option* option, const char* type) { option->type_name(type)->group("Conditions"); };
    group(command.add_option("--if-match", values.if_match, "Only if the ETag is this one (* for any)"), "ETAG");
    group(command.add_option("--if-none-match", values.if_none_match,
                             "Only if the ETag is not this one (*: only if there is no blob)"),
          "ETAG");
    group(command.add_option("--if-modified-since", values.if_modified_since, "Only if modified since"), "DATE");
    group(command.add_option("--if-unmodified-since", values.if_unmodified_since, "Only if not modified since"),
          "DATE");
    add_lease_id_flag(command, values.lease_id);
}

Result<azure::Conditions> read_conditions(const ConditionFlags& flags) {
    azure::Conditions out = flags.values;
    if (auto ok = read_date("--if-modified-since", out.if_modified_since); !ok) return fail(ok.error());
    if (auto ok = read_date("--if-unmodified-since", out.if_unmodified_since); !ok) return fail(ok.error());
    for (const std::string* etag : {&out.if_match, &out.if_none_match, &out.lease_id}) {
        for (const char c : *etag) {
            if (c < 0x21 || c == 0x7F)
                return fail(ErrorCode::usage, "an ETag or lease id cannot contain " + in_quotes(std::string(1, c)));
        }
    }
    return out;
}

}  // namespace azlock::cli
