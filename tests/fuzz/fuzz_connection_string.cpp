// Connection strings: no error holds any part of a secret, and an accepted string can be used.
#include "azure/connection_string.hpp"
#include "azure/credential.hpp"
#include "fuzz_support.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace azlock::fuzz;

namespace {

constexpr std::string_view kSecret = "U0VDUkVU0123+/==";

void check(const std::string& text, bool secret_is_a_value) {
    const auto settings = parse_connection_string(text);
    if (!settings) {
        require(settings.error().code == ErrorCode::config, "a bad connection string is a config error");
        return require_presentable(settings.error(), kSecret);
    }
    const Endpoint& endpoint = settings->endpoint;
    if (secret_is_a_value) {
        require(endpoint.to_string().find(kSecret) == std::string::npos, "a secret does not become an address", text);
        require(settings->account.find(kSecret) == std::string::npos, "nor an account", text);
    }
    require(settings->key.empty() || settings->sas.empty(), "there is one credential", text);
    if (!settings->key.empty()) {
        require(Credential::shared_key(settings->account, settings->key).has_value(), "an accepted key is a key", text);
    }
    if (!settings->sas.empty()) {
        const auto sas = Credential::sas(settings->sas);
        require(sas.has_value(), "an accepted SAS is a SAS", text);
        require(sas->sas_terms().has_value(), "and can be described", describe_kind(sas->sas_terms().value()));
    }
    const auto again = parse_endpoint(endpoint.to_string());
    require(again.has_value(), "an accepted endpoint is a URL", endpoint.to_string());
    require(again->origin == endpoint.origin && again->base_path == endpoint.base_path, "and always the same one",
            text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(as_text(data, size));
    if (knows(text, kSecret)) return 0;
    const std::string secret(kSecret);
    check(text, true);
    check(text + ";AccountKey=" + secret, true);
    check("AccountKey=" + secret + ";" + text, true);
    check("SharedAccessSignature=sv=1&sig=" + secret + ";" + text, true);
    check(text + ";sharedaccesssignature=?sig=" + secret + "&" + text, true);
    const std::size_t cut = size == 0 ? 0 : data[0] % size;
    check(text.substr(0, cut) + secret + text.substr(cut), false);
    return 0;
}
