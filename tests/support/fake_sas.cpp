#include "support/fake_sas.hpp"

#include "base/http_date.hpp"

namespace azlock::test::fake {
namespace {

std::string value(const Call& call, std::string_view name) {
    return call.parameter(name).value_or("");
}

// "/blob/ACCOUNT/CONTAINER[/BLOB]"
std::string canonical_resource(const Call& call) {
    const std::string container = "/blob/" + call.account + "/" + call.container;
    return value(call, "sr") == "c" ? container : container + "/" + call.blob;
}

std::string string_to_sign(const Call& call) {
    std::string out =
        value(call, "sp") + "\n" + value(call, "st") + "\n" + value(call, "se") + "\n" + canonical_resource(call);
    for (const char* name :
         {"si", "sip", "spr", "sv", "sr", "snapshot", "ses", "rscc", "rscd", "rsce", "rscl", "rsct"}) {
        if (std::string_view(name) == "ses" && value(call, "sv") < "2020-12-06") continue;
        out += "\n" + value(call, name);
    }
    return out;
}

}  // namespace

bool has_service_sas(const Call& call) {
    return call.parameter("sr").has_value();
}

Check check_service_sas(const Call& call, const Credentials& credentials) {
    if (value(call, "sig") != signature(credentials.key, string_to_sign(call))) {
        return Refusal{403, "AuthenticationFailed", "AuthenticationErrorDetail", "Signature did not match."};
    }
    const auto start = parse_iso8601(value(call, "st"));
    const auto end = parse_iso8601(value(call, "se"));
    if (!end || call.wall >= *end || (start && call.wall < *start)) return refusal(403, "AuthenticationFailed");
    if (value(call, "spr") == "https" && !call.request->origin.tls) {
        return refusal(403, "AuthorizationProtocolMismatch");
    }
    const bool listing = call.operation == "List Blobs" && value(call, "sr") == "c";
    if (call.blob.empty() && !listing) return refusal(403, "AuthorizationFailure");
    return std::nullopt;
}

}  // namespace azlock::test::fake
