#include "ops/sas/make_sas.hpp"

#include <arpa/inet.h>

#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

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

Result<WallTime> end_of(const SasRequest& request, WallTime now) {
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
    return end;
}

Status check_version(const std::string& version) {
    if (version.size() == 10 && parse_iso8601(version) && version >= azure::kFirstSasVersion) return {};
    return fail(ErrorCode::usage, "a SAS needs --api-version " + std::string(azure::kFirstSasVersion) + " or later");
}

}  // namespace

Result<MadeSas> make_sas(const SasRequest& request, const SasSubject& subject, WallTime now) {
    if (auto ok = subject.address.must_not_be_snapshot("given to others by a SAS"); !ok) return fail(ok.error());
    auto permissions = in_order(request.permissions, subject.address);
    if (!permissions) return fail(permissions.error());
    if (auto ok = check_addresses(request.addresses); !ok) return fail(ok.error());
    if (auto ok = check_version(subject.api_version); !ok) return fail(ok.error());
    if (request.https_only && !subject.endpoint.origin.tls) {
        return fail(ErrorCode::usage, "--https-only: " + subject.endpoint.to_string() + " is not https");
    }
    const auto end = end_of(request, now);
    if (!end) return fail(end.error());
    azure::SasGrant grant{subject.address,   std::move(*permissions), request.start,      *end,
                          request.addresses, request.https_only,      subject.api_version};
    auto sas = subject.credential.sign_sas(grant);
    if (!sas) return fail(sas.error());
    const azure::Endpoint& endpoint = subject.endpoint;
    Secret url(endpoint.origin.to_string() + azure::path_of(endpoint, subject.address) + "?" + sas->reveal());
    return MadeSas{std::move(grant), std::move(*sas), std::move(url)};
}

}  // namespace azlock::ops
