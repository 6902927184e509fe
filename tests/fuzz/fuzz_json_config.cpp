// The configuration file as users write it, and errors as JSON whatever text is in them.
#include <nlohmann/json.hpp>

#include "base/error_text.hpp"
#include "cli/output/output.hpp"
#include "cli/settings/config_file.hpp"
#include "fuzz_support.hpp"

using namespace azlock;
using namespace azlock::cli;
using namespace azlock::fuzz;

namespace {

constexpr std::string_view kSecret = "U0VDUkVU0123+/==";

// As a basic string of TOML.
std::string toml_text(std::string_view value) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        if ((c >= 0 && c < ' ') || c == '\x7f') {
            text +=
                std::string("\\u00") + kHex[static_cast<std::size_t>(c / 16)] + kHex[static_cast<std::size_t>(c % 16)];
        } else {
            text += c;
        }
    }
    return text + '"';
}

void check_config(const std::string& text) {
    const auto values = parse_config(text, "config.toml");
    if (!values) {
        require(values.error().code == ErrorCode::config, "a bad configuration is a config error");
        return require_presentable(values.error(), kSecret);
    }
    // What was read can be written in its simplest form and read again.
    std::string written;
    for (const auto& [key, value] : *values) {
        if (key == "retries" || key == "allow_insecure_http") {
            written += key + " = " + value + "\n";
            continue;
        }
        written += key + " = " + toml_text(value) + "\n";
    }
    const auto again = parse_config(written, "config.toml");
    require(again.has_value() && *again == *values, "values survive writing and reading", written);
}

void check_json(std::string_view text) {
    Error error = make_error(ErrorCode::unavailable, "x", std::string(text));
    error.message = std::string(text) + " at ?sig=" + std::string(kSecret) + "&";
    error.target = text;
    error.service_code = text;
    error.request_id = text;
    error.http_status = 400;
    const std::string dumped = error_json(error).dump();
    require(is_one_line(dumped), "JSON is one line", dumped);
    const auto read = nlohmann::json::parse(dumped, nullptr, false);
    require(!read.is_discarded() && read["http_status"] == 400, "and is read back", dumped);
    for (const std::string& shown : {dumped, error_text(error)}) {
        require(is_one_line(shown), "an error is one line", shown);
        require(shown.find(kSecret) == std::string::npos, "an error holds no secret", shown);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(as_text(data, size));
    if (knows(text, kSecret)) return 0;
    const std::string secret(kSecret);
    check_config(text);
    check_config(text + "\naccount_key = \"" + secret + "\"\n");
    check_config("sas_token = 'sv=1&sig=" + secret + "'\n" + text);
    const std::size_t cut = size == 0 ? 0 : data[0] % size;
    check_config(text.substr(0, cut) + secret + text.substr(cut));
    check_json(text);
    return 0;
}
