// Proxy variables: no password in an error, and no crash whatever the list of exceptions is.
#include "fuzz_support.hpp"
#include "http/proxy.hpp"

using namespace azlock;
using namespace azlock::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view kPassword = "S3CRET%21word";
    std::string_view rest = as_text(data, size);
    if (knows(rest, kPassword)) return 0;
    const std::string url(take_line(rest));
    for (const std::string& text :
         {url, "http://me:" + std::string(kPassword) + "@" + url, std::string(as_text(data, size))}) {
        const auto proxy = http::parse_proxy(text, "HTTPS_PROXY");
        if (proxy) {
            require(!proxy->host.empty() && proxy->port != 0, "an accepted proxy can be connected to", text);
            require(is_one_line(proxy->authorization.reveal()), "its credential is one header line", text);
        } else {
            require(proxy.error().code == ErrorCode::config, "a bad proxy is a config error");
            require_presentable(proxy.error(), kPassword);
        }
    }
    const std::string host(take_line(rest));
    const bool matched = http::no_proxy_matches(rest, host, 443);
    require(!matched || !rest.empty(), "an empty list matches nothing");
    if (!host.empty()) require(http::no_proxy_matches("*", host, 443), "a star matches every host", host);
    return 0;
}
