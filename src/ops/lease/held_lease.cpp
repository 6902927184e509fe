#include "ops/lease/held_lease.hpp"

#include "base/http_date.hpp"
#include "base/text.hpp"
#include "ops/lease/refusal.hpp"

namespace azlock::ops {
namespace {

RenewAnswer read_failure(const Error& error) {
    RenewAnswer out;
    out.text = error.message;
    if (!error.service_code.empty()) out.text += " (" + error.service_code + ")";
    if (is_definitive(error) || error.service_code == "ContainerBeingDeleted") out.kind = RenewAnswer::Kind::definitive;
    return out;
}

}  // namespace

RenewAnswer read_renew(const Result<azure::LeaseResult>& result, const std::string& lease_id) {
    if (!result) return read_failure(result.error());
    RenewAnswer out;
    out.date = parse_http_date(result->date);
    if (iequals(result->lease_id, lease_id)) {
        out.kind = RenewAnswer::Kind::held;
    } else if (!result->lease_id.empty()) {
        out.kind = RenewAnswer::Kind::definitive;
        out.text = "the renew was answered with somebody else's lease id";
    } else {
        out.text = "the renew was answered without a lease id";
    }
    return out;
}

RenewAnswer read_write(const Status& written) {
    if (!written) return read_failure(written.error());
    RenewAnswer out;
    out.kind = RenewAnswer::Kind::held;
    return out;
}

}  // namespace azlock::ops
