#include "ops/lease/sas_limits.hpp"

#include <algorithm>

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::ops {

using std::chrono::milliseconds;

Status check_lock_permissions(const azure::Credential& credential) {
    const auto sas = credential.sas_terms();
    if (!sas || (sas->may_permit("r") && sas->may_permit("w"))) return {};
    return fail(ErrorCode::auth, "the SAS permits " + printable(sas->permissions) + "; a lock needs r and w",
                "get a SAS that permits both");
}

std::string describe_early_end(const azure::Credential& credential, WallTime now, std::optional<milliseconds> longest) {
    const auto sas = credential.sas_terms();
    if (!sas || !sas->end) return {};
    const auto left = std::chrono::floor<milliseconds>(*sas->end - now);
    if (left >= longest.value_or(kToldSasEnd)) return {};
    return "the SAS ends in " + format_duration(std::max(left, milliseconds(0))) + " (" + format_iso8601(*sas->end) +
           ")";
}

}  // namespace azlock::ops
