#include "azure/service_error.hpp"

#include <algorithm>
#include <array>

#include "azure/sas_refusal.hpp"
#include "azure/xml.hpp"
#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "http/retry.hpp"

namespace azlock::azure {
namespace {

constexpr std::size_t kMaxErrorBody = 64 * 1024;
// The service refuses dates that are 15 minutes off [Shared Key]. This is a bit less, because answers
// take time.
constexpr auto kSuspiciousSkew = std::chrono::minutes(14);

class ErrorVisitor final : public XmlReader::Visitor {
  public:
    explicit ErrorVisitor(ServiceErrorBody& out) : out_(out) {}
    void start(std::string_view /*path*/) override {}
    void end(std::string_view path, const std::string& text, bool /*encoded*/) override {
        if (path == "Error/Code") out_.code = text;
        if (path == "Error/Message") out_.message = trim(text.substr(0, text.find('\n')));
        if (path == "Error/AuthenticationErrorDetail") out_.authentication_detail = text;
        if (path == "Error/HeaderName") out_.header_name = text;
    }

  private:
    ServiceErrorBody& out_;
};

struct Meaning {
    std::string_view service_code;
    ErrorCode code;
    std::string_view sentence;  // empty: the service's own message is used
    std::string_view hint = {};
};

constexpr std::array kMeanings{
    Meaning{"ContainerNotFound", ErrorCode::not_found, "the container does not exist",
            "check its name; 'azlock container create' makes it"},
    Meaning{"BlobNotFound", ErrorCode::not_found, "the blob does not exist"},
    Meaning{"ResourceNotFound", ErrorCode::not_found, "the account, container or blob does not exist"},
    Meaning{"BlobAlreadyExists", ErrorCode::precondition, "the blob already exists"},
    Meaning{"ContainerAlreadyExists", ErrorCode::precondition, "the container already exists"},
    Meaning{"ContainerBeingDeleted", ErrorCode::unavailable, "the container is still being deleted",
            "its name is free again in 30 seconds or more; try again then"},
    Meaning{"ConditionNotMet", ErrorCode::precondition, "the condition is not met: the blob is not as expected"},
    Meaning{"UnsatisfiableCondition", ErrorCode::usage, "no blob can meet this condition"},
    Meaning{"MultipleConditionHeadersNotSupported", ErrorCode::usage, "a write takes one condition only"},
    Meaning{"AppendPositionConditionNotMet", ErrorCode::precondition, "the blob's length is not the append position"},
    Meaning{"MaxBlobSizeConditionNotMet", ErrorCode::precondition, "the blob would grow past the size limit"},
    Meaning{"LeaseAlreadyPresent", ErrorCode::busy, "it is leased by someone else", "see 'azlock show'"},
    Meaning{"LeaseIdMissing", ErrorCode::busy, "it is leased; the write needs the lease id",
            "give --lease-id, or wait until the lease is free"},
    Meaning{"LeaseIdMismatchWithBlobOperation", ErrorCode::busy, "it is leased under another lease id"},
    Meaning{"LeaseIdMismatchWithContainerOperation", ErrorCode::busy, "it is leased under another lease id"},
    Meaning{"LeaseIdMismatchWithLeaseOperation", ErrorCode::precondition, "this lease id does not hold the lease"},
    Meaning{"LeaseIsBreakingAndCannotBeAcquired", ErrorCode::busy, "its lease is being broken"},
    Meaning{"LeaseIsBreakingAndCannotBeChanged", ErrorCode::precondition, "its lease is being broken"},
    Meaning{"LeaseIsBrokenAndCannotBeRenewed", ErrorCode::precondition, "the lease was broken"},
    Meaning{"LeaseNotPresentWithBlobOperation", ErrorCode::precondition, "the lease is gone: nobody holds it"},
    Meaning{"LeaseNotPresentWithContainerOperation", ErrorCode::precondition, "the lease is gone: nobody holds it"},
    Meaning{"LeaseNotPresentWithLeaseOperation", ErrorCode::precondition, "there is no lease"},
    Meaning{"LeaseLost", ErrorCode::precondition, "the lease was lost"},
    Meaning{"InvalidBlobType", ErrorCode::precondition, "the blob is of another type"},
    Meaning{"BlobIsSealed", ErrorCode::precondition, "the append blob is sealed"},
    Meaning{"SnapshotsPresent", ErrorCode::precondition, "the blob has snapshots"},
    Meaning{"BlobArchived", ErrorCode::precondition, "the blob is in the archive tier",
            "give it another tier first, which takes hours"},
    Meaning{"BlobImmutableDueToPolicy", ErrorCode::precondition, "an immutability policy protects the blob"},
    Meaning{"InvalidBlockList", ErrorCode::precondition, "staged blocks are gone or the block list is not valid"},
    Meaning{"InvalidBlobOrBlock", ErrorCode::precondition, "the blob holds staged blocks of another tool"},
    Meaning{"Md5Mismatch", ErrorCode::data, "the bytes do not match their MD5"},
    Meaning{"Crc64Mismatch", ErrorCode::data, "the bytes do not match their CRC64"},
    Meaning{"AuthorizationPermissionMismatch", ErrorCode::auth, "the credential lacks the permission for this"},
    Meaning{"AuthorizationFailure", ErrorCode::auth, "the service refused the credential",
            "check the account name and key, and the account's firewall"},
    Meaning{"KeyBasedAuthenticationNotPermitted", ErrorCode::auth,
            "the account takes neither account keys nor a SAS that was signed with one",
            "log in with Entra ID (--auth-mode login), or use a SAS from a user delegation key"},
    Meaning{"NoAuthenticationInformation", ErrorCode::auth, "a credential is needed",
            "set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or "
            "AZURE_STORAGE_SAS_TOKEN"},
    Meaning{"InvalidAuthenticationInfo", ErrorCode::auth, "the service cannot read the Authorization header",
            "check the account name"},
    Meaning{"AuthenticationFailed", ErrorCode::auth, "the service refused the signature or SAS",
            "check the account name and key, or the SAS and its expiry"},
};

const Meaning* meaning_of(std::string_view service_code) {
    const auto* it = std::find_if(kMeanings.begin(), kMeanings.end(),
                                  [&](const Meaning& m) { return m.service_code == service_code; });
    return it == kMeanings.end() ? nullptr : it;
}

// Only a Shared Key signature can be refused for its date: a SAS or an anonymous request signs none.
bool may_be_the_clock(const Operation& op, const Error& error) {
    return error.code == ErrorCode::auth && op.request.headers.get("Authorization").starts_with("SharedKey ") &&
           (error.service_code.empty() || error.service_code == "AuthenticationFailed");
}

// Says that this machine's clock is wrong if the Date of the answer proves it.
void explain_clock(const http::Response& response, WallTime now, Error& error) {
    const auto theirs = parse_http_date(response.headers.get("Date"));
    if (!theirs) return;
    const auto skew = now - *theirs;
    if (skew < kSuspiciousSkew && skew > -kSuspiciousSkew) return;
    const auto size = std::chrono::duration_cast<std::chrono::milliseconds>(skew < skew.zero() ? -skew : skew);
    error.message = "the service refused the request because this machine's clock is " +
                    std::string(skew > skew.zero() ? "ahead by " : "behind by ") + format_duration(size) + " (here " +
                    format_iso8601(now) + ", service " + format_iso8601(*theirs) + ")";
    error.hint = "set the clock";
}

// A server that gave up or failed half way may have carried out the request. One that reports another success has
// carried it out. ServerBusy and 429 mean that it did not start.
bool may_have_applied(int status, std::string_view service_code) {
    if (status == 408 || (status >= 200 && status < 300)) return true;
    return status >= 500 && service_code != "ServerBusy" && service_code != "FeatureNotSupported";
}

Error base_error(const Operation& op, const http::Response& response) {
    Error error;
    error.operation = op.name;
    error.target = op.target;
    error.http_status = response.status;
    error.request_id = response.headers.get("x-ms-request-id");
    error.client_request_id = op.request.headers.get("x-ms-client-request-id");
    return error;
}

}  // namespace

ServiceErrorBody read_error_body(const http::Response& response) {
    ServiceErrorBody out;
    std::string_view body = response.body;
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    if (body.starts_with('<') && body.size() <= kMaxErrorBody) {
        ErrorVisitor visitor(out);
        XmlReader reader(visitor);
        if (!reader.feed(as_bytes(body)) || !reader.finish()) out = {};
    }
    if (const auto* code = response.headers.find("x-ms-error-code")) out.code = *code;
    return out;
}

bool is_from_service(const http::Response& response) {
    // The emulator gives a user delegation key without any x-ms header.
    return response.headers.has("x-ms-request-id") || response.headers.has("x-ms-error-code") ||
           response.headers.has("x-ms-version") || response.headers.get("Server").starts_with("Azurite-Blob/");
}

ErrorCode classify(int status, std::string_view service_code) {
    if (status == 304) return ErrorCode::not_modified;
    if (const Meaning* meaning = meaning_of(service_code)) return meaning->code;
    if (status == 401 || status == 403) return ErrorCode::auth;
    if (status == 404) return ErrorCode::not_found;
    if (status == 409 || status == 412) return ErrorCode::precondition;
    const bool refused = status >= 400 && status < 500 && !http::is_transient_status(status);
    return refused ? ErrorCode::usage : ErrorCode::unavailable;
}

bool is_transient_answer(const http::Response& response, std::string_view service_code) {
    // The emulator answers a feature that it lacks with a 500. A retry would get the same answer.
    if (service_code == "FeatureNotSupported") return false;
    if (response.status >= 200 && response.status < 300) return true;  // only malformed ones come here
    // A page of somebody in between says nothing about the next attempt, unless a proxy wants credentials.
    if (!is_from_service(response) && response.status != 304) return response.status != 407;
    return http::is_transient_status(response.status);
}

Error malformed_answer(const Operation& op, const http::Response& response, std::string_view what) {
    Error error = base_error(op, response);
    error.code = ErrorCode::unavailable;
    error.fault = TransportFault::malformed;
    error.retryable = true;
    error.may_have_applied = true;
    error.message = "the answer does not come from Blob Storage: " + std::string(what) + " (HTTP " +
                    std::to_string(response.status) + ")";
    error.hint = "check the endpoint, and whether a proxy or a sign-in page answered";
    return error;
}

Error to_error(const Operation& op, const http::Response& response, WallTime now) {
    const auto wait = http::retry_after(response.headers, now);
    if (!is_from_service(response) && response.status != 304) {
        const std::string_view type = response.headers.get("Content-Type");
        Error error = malformed_answer(op, response, type.empty() ? "no x-ms headers" : redact(printable(type)));
        error.retryable = is_transient_answer(response, {});
        // Whoever answered in its place may have let the request through, unless it wants credentials or fewer
        // requests.
        error.may_have_applied = response.status != 407 && response.status != 429;
        if (wait) error.retry_after_ms = wait->count();
        return error;
    }
    const ServiceErrorBody body = read_error_body(response);
    Error error = base_error(op, response);
    error.service_code = printable(body.code);
    error.code = classify(response.status, body.code);
    error.retryable = is_transient_answer(response, body.code) || error.code == ErrorCode::busy ||
                      body.code == "ContainerBeingDeleted";
    error.may_have_applied = may_have_applied(response.status, body.code);
    if (wait) error.retry_after_ms = wait->count();

    const Meaning* meaning = meaning_of(body.code);
    if (response.status == 304) {
        error.message = "not modified";
    } else if (meaning != nullptr) {
        error.message = meaning->sentence;
        error.hint = meaning->hint;
    } else if (!body.message.empty()) {
        error.message = redact(printable(body.message));
        if (!body.header_name.empty()) error.message += " (header " + printable(body.header_name) + ")";
    } else {
        error.message = "the service answered with HTTP " + std::to_string(response.status);
    }
    if (error.code == ErrorCode::not_found && op.target.find('*') != std::string::npos) {
        error.hint = "a '*' is a part of the name here; 'azlock list CONTAINER/PREFIX' lists what there is";
    }
    explain_sas(op, response, error);
    if (may_be_the_clock(op, error)) explain_clock(response, now, error);
    return error;
}

}  // namespace azlock::azure
