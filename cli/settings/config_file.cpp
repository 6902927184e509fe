#include "cli/settings/config_file.hpp"

#include <algorithm>
#include <iterator>

#include <toml++/toml.h>
#include <unistd.h>

#include "base/file.hpp"
#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

constexpr std::string_view kKeys[] = {"account",
                                      "account_key",
                                      "account_key_file",
                                      "sas_token",
                                      "sas_file",
                                      "connection_string",
                                      "connection_string_file",
                                      "endpoint",
                                      "auth_mode",
                                      "credential",
                                      "token_cache",
                                      "api_version",
                                      "ca_file",
                                      "timeout",
                                      "try_timeout",
                                      "retries",
                                      "allow_insecure_http"};

std::string line_of(const std::string& file, const toml::source_region& source) {
    return file + ", line " + std::to_string(source.begin.line);
}

// Only a plain word is repeated in a message: anything else may be a secret in the wrong place.
std::string quoted_word(std::string_view key) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz_-ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (key.size() > 32 || key.find_first_not_of(kPlain) != std::string_view::npos) return {};
    return " '" + std::string(key) + "'";
}

// The value of a key that takes such a value.
Result<std::string> text_of(std::string_view key, const toml::node& value, const std::string& where) {
    const bool number_only = key == "retries";
    const bool truth_only = key == "allow_insecure_http" || key == "token_cache";
    const bool duration = key == "timeout" || key == "try_timeout";
    const auto* number = value.as_integer();
    const bool decimal = number != nullptr && number->flags() == toml::value_flags::none;
    if (decimal && (number_only || duration)) return std::to_string(number->get());
    if (const auto* truth = value.as_boolean(); truth != nullptr && truth_only) {
        return std::string(truth->get() ? "true" : "false");
    }
    if (const auto* text = value.as_string(); text != nullptr && !number_only && !truth_only) return text->get();
    const char* wanted = number_only  ? "a whole number without quotes, in decimal digits"
                         : truth_only ? "true or false, without quotes"
                         : duration   ? "a text in quotes, or a whole number of seconds"
                                      : "a text in quotes";
    return fail(ErrorCode::config, where + ": " + std::string(key) + " must be " + wanted);
}

Result<ConfigValues> read_table(const toml::table& table, const std::string& file) {
    ConfigValues values;
    for (const auto& [key, value] : table) {
        const std::string where = line_of(file, key.source());
        if (value.is_table()) return fail(ErrorCode::config, where + ": tables are not supported");
        if (std::find(std::begin(kKeys), std::end(kKeys), key.str()) == std::end(kKeys)) {
            return fail(ErrorCode::config, where + ": unknown key" + quoted_word(key.str()));
        }
        auto text = text_of(key.str(), value, where);
        if (!text) return fail(text.error());
        values.emplace(key.str(), std::move(*text));
    }
    return values;
}

}  // namespace

Result<ConfigValues> parse_config(std::string_view text, const std::string& file) {
    try {
        return read_table(toml::parse(text), file);
    } catch (const toml::parse_error& error) {
        // Its description can quote the file.
        return fail(ErrorCode::config, line_of(file, error.source()) + ": this is not TOML, or a key is given twice",
                    "write key = \"value\"; text needs quotes");
    }
}

Result<std::string> config_text(const std::string& file, bool required) {
    if (file.empty() || (!required && access(file.c_str(), F_OK) != 0)) return std::string();
    auto text = read_small_file(file);
    if (!text) {
        Error error = text.error();
        error.code = ErrorCode::config;
        return fail(std::move(error));
    }
    return text;
}

std::string toml_version() {
    return std::to_string(TOML_LIB_MAJOR) + "." + std::to_string(TOML_LIB_MINOR) + "." + std::to_string(TOML_LIB_PATCH);
}

std::string default_config_path() {
    const std::string folder = environment("XDG_CONFIG_HOME");
    if (folder.starts_with('/')) return folder + "/azlock/config.toml";
    const std::string home = environment("HOME");
    return home.empty() ? std::string() : home + "/.config/azlock/config.toml";
}

}  // namespace azlock::cli
