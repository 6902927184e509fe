// WWW-Authenticate of a 401: the tenant that the service names, the key file that an agent names, and the error for
// the user.
#include "azure/login_refusal.hpp"
#include "azure/service_error.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "fuzz_support.hpp"
#include "ops/login/arc_identity.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace azlock::fuzz;

namespace {

constexpr std::string_view kKeys = "/var/opt/azcmagent/tokens";

void check_tenant(std::string_view challenge) {
    const std::string tenant = challenge_tenant(challenge);
    if (tenant.empty()) return;
    require(tenant.size() == 36 && tenant.find_first_not_of("0123456789abcdef-") == std::string::npos,
            "a tenant is a GUID in lower case", tenant);
    require(to_lower(challenge).find("/" + tenant) != std::string::npos, "a tenant is one that the challenge names",
            tenant);
}

void check_key_file(std::string_view challenge) {
    const auto path = ops::arc_key_file(challenge, std::string(kKeys));
    if (!path) {
        require(path.error().code == ErrorCode::auth, "a bad challenge means no permission");
        return require_presentable(path.error(), {});
    }
    require(is_one_line(*path) && path->starts_with(std::string(kKeys) + "/") && path->ends_with(".key") &&
                path->rfind('/') == kKeys.size() && path->find("..") == std::string::npos,
            "only a key of the agent is opened", *path);
}

void check_refusal(std::string_view challenge, std::string_view body) {
    const Operation op = make_get_blob_properties(default_endpoint("acct"), BlobAddress{"container", "blob", {}}, {});
    for (const int status : {401, 403}) {
        http::Response answer;
        answer.status = status;
        answer.headers.set("x-ms-request-id", "r");
        answer.headers.set("x-ms-version", "2023-11-03");
        answer.headers.set("WWW-Authenticate", std::string(challenge));
        answer.body = body;
        Error error = to_error(op, answer, WallTime(std::chrono::seconds(1'435'361'952)));
        (void)explain_login_refusal(op, answer, "ab1f708d-50f6-404c-a006-d71b2ac7a606", error);
        require_presentable(error, {});
        require(redact(error.message) == error.message, "a refusal is redacted", error.message);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest = as_text(data, size);
    const std::string_view challenge = take_line(rest);
    check_tenant(challenge);
    check_tenant("Bearer authorization_uri=https://login.microsoftonline.com/" + std::string(challenge));
    check_key_file(challenge);
    check_key_file("Basic realm=" + std::string(kKeys) + "/" + std::string(challenge));
    check_refusal(challenge, rest);
    return 0;
}
