#include "azure/login_refusal.hpp"

#include <algorithm>
#include <array>

#include "azure/service_error.hpp"
#include "azure/url.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

// Only these may say which tenant an account belongs to.
constexpr std::array<std::string_view, 10> kAuthorities{
    "login.microsoftonline.com",  "login.windows.net",
    "login.microsoft.com",        "sts.windows.net",
    "login.microsoftonline.us",   "login-us.microsoftonline.com",
    "login.chinacloudapi.cn",     "login.partner.microsoftonline.cn",
    "login.sovcloud-identity.fr", "login.sovcloud-identity.de"};

bool is_guid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : hex_value(text[i]) < 0) return false;
    }
    return true;
}

bool is_about_tags(const Operation& op) {
    return op.name == "Get Blob Tags" || op.request.headers.has("x-ms-tags") || op.request.headers.has("x-ms-if-tags");
}

bool is_about_key(const Operation& op) {
    return op.name == "Get User Delegation Key";
}

bool is_about_account(const Operation& op) {
    return op.name == "List Containers" || op.name == "Create Container" || is_about_key(op);
}

// [Authorize with Microsoft Entra ID]
std::string_view role_for(const Operation& op) {
    if (is_about_tags(op)) return "Storage Blob Data Owner";
    if (is_about_key(op)) return "Storage Blob Delegator";
    return is_write(op) ? "Storage Blob Data Contributor" : "Storage Blob Data Reader";
}

void explain_role(const Operation& op, Error& error) {
    const std::string scope = is_about_account(op) ? "the storage account" : "the container or the storage account";
    error.message = "the identity has no role that allows this";
    error.hint = "assign it the role " + std::string(role_for(op)) + " at " + scope +
                 " (Owner and Contributor give no access to data); a new assignment can take ten minutes";
}

}  // namespace

std::string challenge_tenant(std::string_view challenge) {
    constexpr std::string_view kName = "authorization_uri=";
    const std::size_t at = challenge.find(kName);
    if (!istarts_with(challenge, "Bearer ") || at == std::string_view::npos) return {};
    std::string_view value = challenge.substr(at + kName.size());
    if (value.starts_with('"')) value.remove_prefix(1);
    value = value.substr(0, value.find_first_of("\", \t"));
    const auto url = parse_url(value);
    if (!url || !url->origin.tls || url->path.empty()) return {};
    if (std::find(kAuthorities.begin(), kAuthorities.end(), url->origin.host) == kAuthorities.end()) return {};
    const std::string_view path = std::string_view(url->path).substr(1);
    const std::string_view tenant = path.substr(0, path.find('/'));
    return is_guid(tenant) ? to_lower(tenant) : std::string();
}

bool explain_login_refusal(const Operation& op, const http::Response& response, std::string_view tenant, Error& error) {
    if (error.code != ErrorCode::auth || !is_from_service(response)) return false;
    const std::string& code = error.service_code;
    if (code == "AuthorizationPermissionMismatch" || code == "InsufficientAccountPermissions") {
        explain_role(op, error);
        return false;
    }
    if (code == "AuthorizationFailure") {
        error.message = "the account does not let this machine in";
        error.hint = "check its firewall, network rules and private endpoints";
        return false;
    }
    if (response.status != 401 && code != "AuthenticationFailed") return false;
    if (code == "NoAuthenticationInformation") {
        error.message = "the token did not reach the service";
        error.hint = "does a proxy on the way remove the Authorization header?";
        return false;
    }
    const std::string theirs = challenge_tenant(response.headers.get("WWW-Authenticate"));
    if (!theirs.empty() && !tenant.empty() && !iequals(theirs, tenant)) {
        error.message = "the account belongs to the tenant " + theirs + ", and the token comes from the tenant " +
                        printable(tenant);
        error.hint = "log in to the account's tenant (AZURE_TENANT_ID)";
        return false;
    }
    const ServiceErrorBody body = read_error_body(response);
    const std::string& detail = body.authentication_detail;
    error.message = "the service refused the token";
    if (!detail.empty()) error.message += ": " + redact(printable(detail));
    error.hint = "check this machine's clock, and that the login is for this account's cloud and tenant";
    return true;
}

}  // namespace azlock::azure
