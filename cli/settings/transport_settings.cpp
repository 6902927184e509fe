#include "cli/settings/transport_settings.hpp"

#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

// Lower case goes first.
std::string either(const char* lower, const char* upper) {
    const std::string value = environment(lower);
    return value.empty() ? environment(upper) : value;
}

}  // namespace

http::TransportOptions transport_options(const Settings& settings) {
    http::TransportOptions options;
    options.ca_file = settings.ca_file;
    options.https_proxy = either("https_proxy", "HTTPS_PROXY");
    // HTTP_PROXY is ignored, as by curl: a CGI server sets it from a header of the request.
    options.http_proxy = environment("http_proxy");
    options.no_proxy = either("no_proxy", "NO_PROXY");
    return options;
}

}  // namespace azlock::cli
