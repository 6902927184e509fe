#include "azure/sas_refusal.hpp"

#include <algorithm>
#include <array>

#include "azure/refusals.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

// What an operation needs of a SAS: one of the permissions, and of an account SAS the resource type.
struct Need {
    std::string_view operation;
    std::string_view permissions;
    char resource_type;
};

constexpr std::array kNeeds{
    Need{"List Containers", "l", 's'},
    Need{"Create Container", "cw", 'c'},
    Need{"Delete Container", "d", 'c'},
    Need{"Get Container Properties", "r", 'c'},
    Need{"Set Container Metadata", "w", 'c'},
    Need{"Lease Container", "w", 'c'},
    Need{"List Blobs", "l", 'c'},
    Need{"Put Blob", "cw", 'o'},
    Need{"Put Block", "w", 'o'},
    Need{"Put Block List", "w", 'o'},
    Need{"Append Block", "aw", 'o'},
    Need{"Append Blob Seal", "cw", 'o'},
    Need{"Set Blob Metadata", "w", 'o'},
    Need{"Lease Blob", "w", 'o'},
    Need{"Delete Blob", "d", 'o'},
    Need{"Get Blob Tags", "t", 'o'},
    Need{"Get Blob", "r", 'o'},
    Need{"Get Blob Properties", "r", 'o'},
    Need{"Get Block List", "r", 'o'},
};

const Need* need_of(std::string_view operation) {
    const auto* it =
        std::find_if(kNeeds.begin(), kNeeds.end(), [&](const Need& n) { return n.operation == operation; });
    return it == kNeeds.end() ? nullptr : it;
}

// The service gives a SAS that has ended the same code as one with a wrong signature; the emulator gives it another
// one. Only a valid SAS is refused for a permission.
bool explain_time(const SasTerms& sas, const http::Response& response, Error& error) {
    const auto theirs = parse_http_date(response.headers.get("Date"));
    if (!theirs || lacks_permission(error)) return false;
    const auto tell = [&](const char* what, WallTime limit) {
        error.message = "the SAS " + std::string(what) + " " + format_iso8601(limit) + " (the service's time is " +
                        format_iso8601(*theirs) + ")";
        error.hint = "get a new SAS, then run the command again";
        return true;
    };
    if (sas.end && *sas.end <= *theirs) return tell("ended at", *sas.end);
    if (sas.start && *sas.start > *theirs) return tell("is valid only from", *sas.start);
    return false;
}

// Nothing but an account SAS reaches a container itself.
bool explain_resource(const SasTerms& sas, const Need& need, Error& error) {
    if (sas.resource.empty() || need.resource_type == 'o') return false;
    if (need.operation != "List Blobs") {
        error.message = "a SAS of a container or blob is not enough for this";
        error.hint = "use an account SAS or the account key";
        return true;
    }
    if (sas.resource != "b") return false;
    error.message = "the SAS is for one blob, not for a listing";
    error.hint = "get a SAS of the container that permits l";
    return true;
}

// "c or w"
std::string one_of(std::string_view letters) {
    std::string out;
    for (const char letter : letters) out += (out.empty() ? "" : " or ") + std::string(1, letter);
    return out;
}

void explain_permission(const SasTerms& sas, const Operation& op, const Need& need, Error& error) {
    const auto tell = [&](const std::string& needs) {
        error.message = "the SAS permits " + printable(sas.permissions) + "; this needs " + needs;
        error.hint = "get a SAS that permits it";
    };
    if (!sas.may_permit(need.permissions)) return tell(one_of(need.permissions));
    if (op.request.headers.has("x-ms-tags") && !sas.may_permit("t")) return tell("t for the tags");
    // c creates a blob, but does not replace one.
    if (need.operation == "Put Blob" && !sas.may_permit("w")) return tell("w, because the blob exists");
    if (sas.kind == SasTerms::Kind::user_delegation) {
        error.message = "the SAS permits this, but the role of the user who made it does not";
    }
}

// "the account SAS is for the resource types o; this needs c"
std::string type_text(const SasTerms& sas, const Need& need) {
    return "the account SAS is for the resource types " + printable(sas.resource_types) + "; this needs " +
           std::string(1, need.resource_type);
}

}  // namespace

bool may_permit(const SasTerms& sas, const Operation& op) {
    const Need* need = need_of(op.name);
    return need == nullptr || sas.may_permit(need->permissions);
}

void explain_sas(const Operation& op, const http::Response& response, Error& error) {
    if (error.code != ErrorCode::auth || op.request.secret_query.empty()) return;
    const SasTerms sas = read_sas(op.request.secret_query.reveal());
    if (explain_time(sas, response, error)) return;
    const Need* need = need_of(op.name);
    if (need != nullptr && explain_resource(sas, *need, error)) return;
    const std::string& code = error.service_code;
    if (lacks_permission(error)) {
        if (need != nullptr) explain_permission(sas, op, *need, error);
    } else if (code == "AuthorizationResourceTypeMismatch" && need != nullptr && !sas.resource_types.empty()) {
        error.message = type_text(sas, *need);
    } else if (code == "AuthorizationServiceMismatch") {
        error.message = "the account SAS is not for blobs";
    } else if (code == "AuthorizationSourceIPMismatch" && !sas.addresses.empty()) {
        error.message = "the SAS is only for requests from " + printable(sas.addresses);
    } else if (code == "AuthorizationProtocolMismatch") {
        error.message = "the SAS is only for https";
    } else if (code == "AuthenticationFailed" || code == "AuthorizationFailure") {
        error.hint = "check that the SAS is complete, and is for this " +
                     std::string(sas.resource == "b"   ? "blob"
                                 : sas.resource == "c" ? "container"
                                                       : "account") +
                     (code == "AuthorizationFailure" ? "; check the account's firewall" : "");
    }
}

}  // namespace azlock::azure
