#include "cli/settings/config_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

constexpr std::array<std::string_view, 14> kKeys{"account",
                                                 "account_key",
                                                 "account_key_file",
                                                 "sas_token",
                                                 "sas_file",
                                                 "connection_string",
                                                 "connection_string_file",
                                                 "endpoint",
                                                 "api_version",
                                                 "ca_file",
                                                 "timeout",
                                                 "try_timeout",
                                                 "retries",
                                                 "allow_insecure_http"};

// The value of one assignment: a quoted string ("..." with escapes \" and \\, '...' literal) or a bare word.
Result<std::string> parse_value(std::string_view text, const std::string& where) {
    const auto bad = [&] { return fail(ErrorCode::config, where + ": value must be a string, number, true or false"); };
    if (text.empty()) return bad();
    const char quote = text.front();
    std::string out;
    std::size_t i = 0;
    if (quote == '"' || quote == '\'') {
        for (i = 1; i < text.size() && text[i] != quote; ++i) {
            if (quote == '"' && text[i] == '\\') {
                if (i + 1 >= text.size() || (text[i + 1] != '"' && text[i + 1] != '\\')) return bad();
                ++i;
            }
            out += text[i];
        }
        if (i == text.size()) return bad();
        ++i;
    } else {
        while (i < text.size() && text[i] != '#' && text[i] != ' ' && text[i] != '\t') out += text[i++];
        const bool word = out.find_first_of("[]{}=\"',") == std::string::npos && !out.empty();
        if (!word) return bad();
    }
    const std::string_view rest = trim(text.substr(i));
    if (!rest.empty() && rest.front() != '#') return bad();
    return out;
}

}  // namespace

Result<ConfigValues> parse_config(std::string_view text, const std::string& file) {
    ConfigValues values;
    if (!is_utf8(text)) return fail(ErrorCode::config, file + ": it is not UTF-8 text");
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::size_t number = 0;
    for (const std::string_view raw : split(text, '\n')) {
        ++number;
        const std::string where = file + ", line " + std::to_string(number);
        const std::string_view line = trim(raw);
        if (line.empty() || line.front() == '#') continue;
        const std::size_t equals = line.find('=');
        if (line.front() == '[' || equals == std::string_view::npos) {
            return fail(ErrorCode::config, where + ": not of the form key = \"value\"");
        }
        const std::string key(trim(line.substr(0, equals)));
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
            const bool word =
                key.size() <= 32 &&
                key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
            return fail(ErrorCode::config, where + ": unknown key" + (word ? " '" + key + "'" : ""));
        }
        auto value = parse_value(trim(line.substr(equals + 1)), where);
        if (!value) return fail(value.error());
        if (!values.emplace(key, std::move(*value)).second) {
            return fail(ErrorCode::config, where + ": '" + key + "' is given twice");
        }
    }
    return values;
}

Result<ConfigValues> load_config(const std::string& file, bool required) {
    if (file.empty() || (!required && access(file.c_str(), F_OK) != 0)) return ConfigValues{};
    const auto text = read_small_file(file);
    if (!text) {
        Error error = text.error();
        error.code = ErrorCode::config;
        return fail(std::move(error));
    }
    return parse_config(*text, file);
}

std::string default_config_path() {
    const char* base = std::getenv("XDG_CONFIG_HOME");
    if (base != nullptr && *base == '/') return std::string(base) + "/azlock/config.toml";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home != '\0') return std::string(home) + "/.config/azlock/config.toml";
    return {};
}

}  // namespace azlock::cli
