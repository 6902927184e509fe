#include "cli/program/version.hpp"

#include <utility>
#include <vector>

#include <spdlog/version.h>

#include "azure/types.hpp"
#include "base/digest.hpp"
#include "cli/program/parser.hpp"
#include "cli/settings/config_file.hpp"
#include "http/cpprest_connection.hpp"

namespace azlock::cli {
namespace {

std::string dotted(int major, int minor, int patch) {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// "3.0.19 27 Jan 2026" from "OpenSSL 3.0.19 27 Jan 2026"
std::string without_name(const std::string& text) {
    return text.substr(text.find(' ') + 1);
}

// Names and versions.
std::vector<std::pair<std::string, std::string>> libraries() {
    return {{"cpprestsdk", http::cpprest_version()},
            {"OpenSSL", without_name(crypto_version())},
            {"CLI11", parser_version()},
            {"spdlog", dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
            {"nlohmann-json", json_version()},
            {"toml++", toml_version()}};
}

std::string version_text() {
    std::string out = "azlock " AZLOCK_VERSION " (" AZLOCK_COMMIT ")\nBlob service API ";
    out += azure::kDefaultApiVersion;
    std::string separator = "\n";
    for (const auto& [name, number] : libraries()) {
        out += separator + name + " " + number;
        separator = ", ";
    }
    return out;
}

Json version_json() {
    Json out{{"version", AZLOCK_VERSION}, {"commit", AZLOCK_COMMIT}, {"api_version", azure::kDefaultApiVersion}};
    for (const auto& [name, number] : libraries()) out["libraries"][name] = number;
    return out;
}

}  // namespace

Status show_version(Output& output) {
    return output.json() ? output.object(version_json()) : output.line(version_text());
}

std::string version() {
    return AZLOCK_VERSION;
}

}  // namespace azlock::cli
