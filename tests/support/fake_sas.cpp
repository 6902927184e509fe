#include "support/fake_sas.hpp"

#include "base/http_date.hpp"
#include "support/fake_handlers.hpp"

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

bool by_user(const Call& call) {
    return call.parameter("skoid").has_value();
}

std::string string_to_sign(const Call& call) {
    std::string out =
        value(call, "sp") + "\n" + value(call, "st") + "\n" + value(call, "se") + "\n" + canonical_resource(call);
    struct Field {
        const char* name;
        enum { both, of_key, of_user } kind = both;
        std::string since = {};
    };
    for (const Field& field : {Field{"si", Field::of_key},
                               Field{"skoid", Field::of_user},
                               Field{"sktid", Field::of_user},
                               Field{"skt", Field::of_user},
                               Field{"ske", Field::of_user},
                               Field{"sks", Field::of_user},
                               Field{"skv", Field::of_user},
                               Field{"saoid", Field::of_user, "2020-02-10"},
                               Field{"suoid", Field::of_user, "2020-02-10"},
                               Field{"scid", Field::of_user, "2020-02-10"},
                               Field{"skdutid", Field::of_user, "2025-07-05"},
                               Field{"sduoid", Field::of_user, "2025-07-05"},
                               Field{"sip"},
                               Field{"spr"},
                               Field{"sv"},
                               Field{"sr"},
                               Field{"snapshot"},
                               Field{"ses", Field::both, "2020-12-06"},
                               Field{"rscc"},
                               Field{"rscd"},
                               Field{"rsce"},
                               Field{"rscl"},
                               Field{"rsct"}}) {
        if (value(call, "sv") < field.since) continue;
        if (field.kind != Field::both && (field.kind == Field::of_user) != by_user(call)) continue;
        out += "\n" + value(call, field.name);
    }
    return out;
}

// The key of the fake's only user, for that time. It is the same each time, as if the service kept it.
std::string user_key(const std::string& start, const std::string& end) {
    return signature("ZmFrZSB1c2VyIGtleQ==", start + "\n" + end);
}

constexpr const char* kUser = "23657296-5cd5-45b0-a809-d972a7f4dfe1";
constexpr const char* kUserTenant = "ab1f708d-50f6-404c-a006-d71b2ac7a606";

std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    const auto end = at == std::string::npos ? at : text.find(to, at);
    return end == std::string::npos ? "" : text.substr(at + from.size(), end - at - from.size());
}

}  // namespace

bool has_service_sas(const Call& call) {
    return call.parameter("sr").has_value();
}

Check check_service_sas(const Call& call, const Credentials& credentials) {
    const std::string key = by_user(call) ? user_key(value(call, "skt"), value(call, "ske")) : credentials.key;
    if (value(call, "sig") != signature(key, string_to_sign(call))) {
        return Refusal{403, "AuthenticationFailed", "AuthenticationErrorDetail", "Signature did not match."};
    }
    const auto start = parse_iso8601(value(call, "st"));
    const auto end = parse_iso8601(value(call, "se"));
    if (!end || call.wall >= *end || (start && call.wall < *start)) return refusal(403, "AuthenticationFailed");
    if (by_user(call)) {
        const auto key_start = parse_iso8601(value(call, "skt"));
        const auto key_end = parse_iso8601(value(call, "ske"));
        const bool known = value(call, "skoid") == kUser && value(call, "sktid") == kUserTenant;
        if (!known || !key_start || !key_end || call.wall < *key_start || call.wall >= *key_end) {
            return refusal(403, "AuthenticationFailed");
        }
    }
    if (value(call, "spr") == "https" && !call.request->origin.tls) {
        return refusal(403, "AuthorizationProtocolMismatch");
    }
    const bool listing = call.operation == "List Blobs" && value(call, "sr") == "c";
    if (call.blob.empty() && !listing) return refusal(403, "AuthorizationFailure");
    return std::nullopt;
}

Reply get_user_key(Store& /*store*/, const Call& call) {
    const std::string start = between(*call.body, "<KeyInfo><Start>", "</Start>");
    const std::string end = between(*call.body, "</Start><Expiry>", "</Expiry></KeyInfo>");
    const auto ends = parse_iso8601(end);
    if (!parse_iso8601(start) || !ends || *ends > call.wall + std::chrono::days(7)) {
        return refusal(400, "InvalidXmlNodeValue");
    }
    Reply reply;
    reply.headers.set("Content-Type", "application/xml");
    reply.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><UserDelegationKey><SignedOid>" + std::string(kUser) +
                 "</SignedOid><SignedTid>" + kUserTenant + "</SignedTid><SignedStart>" + start +
                 "</SignedStart><SignedExpiry>" + end +
                 "</SignedExpiry><SignedService>b</SignedService><SignedVersion>2025-11-05</SignedVersion><Value>" +
                 user_key(start, end) + "</Value></UserDelegationKey>";
    return reply;
}

}  // namespace azlock::test::fake
