#include "cli/settings/transport_settings.hpp"

#include "cli/settings/read_input.hpp"

namespace azlock::cli {
namespace {

// The first of these variables that is set.
void take_first(std::initializer_list<const char*> variables, std::string& value, std::string& variable) {
    for (const char* name : variables) {
        if ((value = environment(name)).empty()) continue;
        variable = name;
        return;
    }
}

}  // namespace

http::TransportOptions transport_options(const Settings& settings) {
    http::TransportOptions options;
    options.ca_file = settings.ca_file;
    http::ProxySettings& proxies = options.proxies;
    take_first({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, proxies.https_proxy, proxies.https_variable);
    // HTTP_PROXY is ignored, as by curl: a CGI server sets it from a header of the request.
    take_first({"http_proxy", "all_proxy", "ALL_PROXY"}, proxies.http_proxy, proxies.http_variable);
    std::string variable;
    take_first({"no_proxy", "NO_PROXY"}, proxies.no_proxy, variable);
    return options;
}

}  // namespace azlock::cli
