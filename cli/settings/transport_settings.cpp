#include "cli/settings/transport_settings.hpp"

#include <cstdlib>

namespace azlock::cli {
namespace {

std::string proxy_variable(const char* upper, const char* lower) {
    // Lower case first, as curl does. curl ignores HTTP_PROXY in upper case, which a CGI server sets from a request
    // header; azlock uses it.
    for (const char* name : {lower, upper}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return value;
    }
    return {};
}

}  // namespace

http::TransportOptions transport_options(const Settings& settings) {
    http::TransportOptions options;
    options.ca_file = settings.ca_file;
    options.https_proxy = proxy_variable("HTTPS_PROXY", "https_proxy");
    options.http_proxy = proxy_variable("HTTP_PROXY", "http_proxy");
    options.no_proxy = proxy_variable("NO_PROXY", "no_proxy");
    return options;
}

}  // namespace azlock::cli
