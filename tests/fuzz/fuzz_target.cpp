// Targets: names and URLs; what is accepted comes back the same, and errors hold no SAS.
#include "azure/address.hpp"
#include "azure/credential.hpp"
#include "azure/names.hpp"
#include "azure/requests.hpp"
#include "azure/url.hpp"
#include "fuzz_support.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace azlock::fuzz;

namespace {

constexpr std::string_view kSecret = "U0VDUkVU0123%2B";

void check_on_the_wire(const Endpoint& endpoint, const Target& target) {
    const BlobAddress& address = target.address;
    require(check_container_name(address.container).has_value(), "an accepted container name is valid");
    require(address.blob.empty() || check_blob_name(address.blob).has_value(), "an accepted blob name is valid");
    const std::string path = path_of(endpoint, address);
    for (const char c : path) require(c > ' ' && c < 0x7F && c != '?' && c != '#', "a path can go onto the wire", path);

    const auto again = parse_target(endpoint.origin.to_string() + path, endpoint);
    require(again.has_value(), "an address written as a URL is read", path);
    require(again->address.container == address.container && again->address.blob == address.blob,
            "and is the same address", path);
    require(again->endpoint && again->endpoint->origin == endpoint.origin, "at the same place", path);

    auto credential = target.sas.empty() ? Result<Credential>(Credential::anonymous()) : Credential::sas(target.sas);
    if (!credential) return require_presentable(credential.error(), kSecret);
    Operation op = address.is_container() ? make_get_container_properties(endpoint, address.container, {})
                                          : make_get_blob_properties(endpoint, address, {});
    require(credential->authorize(op.request).has_value(), "a credential of its own needs no wait");
    require(is_one_line(op.request.loggable_target()), "a target for the log is one line");
    require(op.request.loggable_target().find(kSecret) == std::string::npos, "and holds no signature");
    require(op.target.find(kSecret) == std::string::npos, "nor does the name for messages");
}

void check(std::string_view text, const std::optional<Endpoint>& configured, bool holds_sas) {
    const auto target = parse_target(text, configured);
    if (!target) {
        require(target.error().code == ErrorCode::usage, "a bad target is a usage error", target.error().message);
        return require_presentable(target.error(), holds_sas ? kSecret : std::string_view{});
    }
    const Endpoint endpoint = target->endpoint.value_or(configured.value_or(default_endpoint("acct")));
    if (target->endpoint && !configured) {
        const auto again = parse_endpoint(endpoint.to_string());
        require(again.has_value() && *again == endpoint, "a target's endpoint is an endpoint", endpoint.to_string());
    }
    check_on_the_wire(endpoint, *target);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = as_text(data, size);
    if (knows(rest, kSecret)) return 0;
    std::optional<Endpoint> configured;
    if (const auto endpoint = parse_endpoint(take_line(rest))) {
        configured = *endpoint;
    } else {
        require(endpoint.error().code == ErrorCode::config, "a bad endpoint is a config error");
        require_presentable(endpoint.error(), {});
    }
    for (const std::string_view text : {rest, as_text(data, size)}) {
        check(text, {}, false);
        check(text, configured, false);
        if (!looks_like_url(text)) continue;
        const std::string with_sas = std::string(text) + (text.find('?') == std::string_view::npos ? "?" : "&") +
                                     "sv=1&sig=" + std::string(kSecret);
        check(with_sas, {}, true);
        check(with_sas, configured, true);
    }
    return 0;
}
