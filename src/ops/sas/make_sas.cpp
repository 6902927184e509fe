#include "ops/sas/make_sas.hpp"

#include <algorithm>

#include <arpa/inet.h>

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "http/transport_error.hpp"

namespace azlock::ops {
namespace {

// The service's clock may be behind.
constexpr std::chrono::minutes kKeyStartsBefore{5};

Result<std::string> in_order(const std::string& permissions, const azure::BlobAddress& address) {
    for (std::size_t i = 0; i < permissions.size(); ++i) {
        const char letter = permissions[i];
        const std::string given = "--permissions: '" + printable(permissions) + "' ";
        if (azure::kSasPermissions.find(letter) == std::string_view::npos) {
            return fail(ErrorCode::usage, given + "has a letter that is no permission",
                        "the letters are r (read), a (add), c (create), w (write, lease), d (delete), x (delete a "
                        "version), l (list) and t (tags)");
        }
        if (permissions.find(letter, i + 1) != std::string::npos) {
            return fail(ErrorCode::usage, given + "has the letter " + letter + " twice");
        }
    }
    if (!address.is_container() && permissions.find('l') != std::string::npos) {
        return fail(ErrorCode::usage,
                    "--permissions: l lists a container, and '" + address.to_string() + "' is a blob");
    }
    std::string out;
    for (const char letter : azure::kSasPermissions) {
        if (permissions.find(letter) != std::string::npos) out += letter;
    }
    return out;
}

std::optional<std::uint32_t> read_address(std::string_view text) {
    in_addr address{};
    if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

Status check_addresses(const std::string& text) {
    if (text.empty()) return {};
    const auto ends = split(text, '-');
    const auto first = read_address(ends.front());
    const auto last = read_address(ends.back());
    if (ends.size() <= 2 && first && last && *first <= *last) return {};
    return fail(ErrorCode::usage, "--ip: '" + printable(text) + "' is no IPv4 address or range",
                "write 198.51.100.7 or 198.51.100.0-198.51.100.255");
}

Result<WallTime> end_of(const SasRequest& request, WallTime now, bool by_login) {
    const WallTime from = request.start.value_or(now);
    if (!request.end && from > WallTime::max() - request.span)
        return fail(ErrorCode::usage, "--for: the time is too long");
    // The service counts whole seconds: a SAS is not to end before its time.
    const WallTime end = std::chrono::ceil<std::chrono::seconds>(request.end.value_or(from + request.span));
    if (end <= now) {
        return fail(ErrorCode::usage, "the SAS would end at " + format_iso8601(end) + ", which has passed",
                    "it is now " + format_iso8601(now));
    }
    if (end <= from) {
        return fail(ErrorCode::usage, "the SAS would end at " + format_iso8601(end) + ", before its --start");
    }
    if (!by_login) return end;
    const WallTime last = std::chrono::floor<std::chrono::seconds>(now + kLongestOfLogin);
    if (end > last + std::chrono::seconds(1)) {
        return fail(ErrorCode::usage,
                    "a SAS that is made with a login lasts 7 days at most, until " + format_iso8601(last),
                    "give less time, or use the account key");
    }
    return std::min(end, last);
}

Status check_version(const std::string& version) {
    if (version.size() == 10 && parse_iso8601(version) && version >= azure::kFirstSasVersion) return {};
    return fail(ErrorCode::usage, "a SAS needs --api-version " + std::string(azure::kFirstSasVersion) + " or later");
}

// With a login, the end of the grant is that of the key if the service gave a shorter one.
Result<Secret> sign(azure::SasGrant& grant, azure::BlobClient& client, const azure::Call& call) {
    const azure::Credential& credential = client.credential();
    if (credential.kind() != azure::Credential::Kind::login) return credential.sign_sas(grant);
    const WallTime now = client.clock().wall();
    const auto user = client.get_user_key(now - kKeyStartsBefore, grant.end, call);
    if (!user) return fail(user.error());
    if (user->ends <= now) {
        Error error = http::malformed_error("the user delegation key had ended when it came");
        error.hint = "check this machine's clock";
        return fail(std::move(error));
    }
    grant.end = std::min(grant.end, user->ends);
    return azure::signed_sas(grant, client.endpoint().account, *user);
}

}  // namespace

Result<MadeSas> make_sas(const SasRequest& request, azure::BlobClient& client, const azure::BlobAddress& address,
                         const std::string& api_version, const azure::Call& call) {
    const azure::Endpoint& endpoint = client.endpoint();
    if (auto ok = address.must_be_one_or_other(); !ok) return fail(ok.error());
    if (auto ok = address.must_not_be_snapshot("given to others by a SAS"); !ok) return fail(ok.error());
    auto permissions = in_order(request.permissions, address);
    if (!permissions) return fail(permissions.error());
    if (auto ok = check_addresses(request.addresses); !ok) return fail(ok.error());
    if (auto ok = check_version(api_version); !ok) return fail(ok.error());
    if (request.https_only && !endpoint.origin.tls) {
        return fail(ErrorCode::usage, "--https-only: " + endpoint.to_string() + " is not https");
    }
    const bool by_login = client.credential().kind() == azure::Credential::Kind::login;
    const auto end = end_of(request, client.clock().wall(), by_login);
    if (!end) return fail(end.error());
    azure::SasGrant grant{address,           std::move(*permissions), request.start, *end,
                          request.addresses, request.https_only,      api_version};
    auto sas = sign(grant, client, call);
    if (!sas) return fail(sas.error());
    std::string kind = azure::describe_kind(azure::read_sas(sas->reveal()));
    Secret url(endpoint.origin.to_string() + azure::path_of(endpoint, address) + "?" + sas->reveal());
    return MadeSas{std::move(grant), std::move(kind), std::move(*sas), std::move(url)};
}

}  // namespace azlock::ops
