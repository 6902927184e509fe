// Whole HTTP answers: the head as raw bytes, the readers of the protocol, and the errors made of them.
#include "azure/responses.hpp"
#include "azure/service_error.hpp"
#include "base/secret.hpp"
#include "fuzz_support.hpp"
#include "http/response_head.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace azlock::fuzz;

namespace {

constexpr std::string_view kSecret = "U0VDUkVU0123";

void check_head(std::string_view raw) {
    const auto head = http::parse_response_head(raw);
    if (!head) return;
    require(head->size <= raw.size() && raw.substr(0, head->size).ends_with("\r\n\r\n"),
            "a head ends in an empty line");
    require(head->status >= 100 && head->status <= 999, "a status has three digits");
    require(!http::parse_response_head(raw.substr(0, head->size - 1)), "a head is whole or none");
    const auto alone = http::parse_response_head(raw.substr(0, head->size));
    require(alone && alone->status == head->status && alone->headers.size() == head->headers.size(),
            "what follows a head does not change it");
}

void check_readers(const http::Response& response) {
    if (const auto properties = read_blob_properties(response)) {
        require(!properties->etag.empty(), "a blob has an ETag");
    } else {
        require_presentable(properties.error(), {});
    }
    if (const auto result = read_write_result(response)) require(!result->etag.empty(), "a write gives an ETag");
    if (const auto result = read_append_result(response)) require(!result->etag.empty(), "an append gives an ETag");
    if (const auto result = read_lease_result(response); result && result->seconds_left) {
        require(*result->seconds_left >= 0, "a break ends at some time to come");
    }
    (void)read_container_properties(response);
    for (const auto& field : response.headers) {
        if (const auto range = parse_content_range(field.second)) {
            require(range->first <= range->last && range->last < range->total, "a range lies in its blob",
                    field.second);
        }
    }
}

void check_error(const http::Response& response) {
    const BlobAddress address{"container", "blob", {}};
    Operation op = make_get_blob_properties(default_endpoint("acct"), address, {});
    op.request.secret_query = Secret("sv=1&sig=" + std::string(kSecret));
    const WallTime now(std::chrono::seconds(1'435'361'952));
    const ServiceErrorBody body = read_error_body(response);
    (void)is_transient_answer(response, body.code);
    const Error error = to_error(op, response, now);
    require_presentable(error, kSecret);
    require(error.http_status == response.status, "an error keeps its status");
    require(!error.retry_after_ms || *error.retry_after_ms >= 0, "a wait is not negative");
    require(redact(error.message) == error.message, "an error is redacted", error.message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view raw = as_text(data, size);
    if (knows(raw, kSecret)) return 0;
    check_head(raw);
    for (const bool head_only : {false, true}) {
        auto answer = http::parse_raw_answer(raw, head_only);
        if (!answer) continue;
        require(answer->response.body.size() <= raw.size(), "a body does not grow");
        require(answer->response.status >= 200, "informational answers are skipped");
        check_readers(answer->response);
        check_error(answer->response);
        // The service's answer repeats our signature.
        answer->response.headers.set("x-ms-request-id", "r");
        answer->response.body =
            "<Error><Code>X</Code><Message>at sig=" + std::string(kSecret) + "&amp;</Message></Error>";
        check_error(answer->response);
    }
    return 0;
}
