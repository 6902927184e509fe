#include "ops/queue/output.hpp"

#include "azure/metadata.hpp"
#include "azure/refusals.hpp"

namespace azlock::ops {
namespace {

// No version of a blob has this ETag, so the service refuses the write after it has checked everything else.
constexpr const char* kNoVersion = "\"0x0\"";

azure::PutBlobOptions output_options() {
    azure::PutBlobOptions options;
    options.content.type = "application/octet-stream";
    return options;
}

}  // namespace

Status check_output(const OutputPlace& place, const azure::Call& call) {
    azure::BlobAddress blob = place.prefix;
    blob.blob += "/" + new_task_key(place.client.random());
    azure::PutBlobOptions options = output_options();
    options.conditions.if_match = kNoVersion;
    const auto put = place.client.put_blob(blob, http::make_body(""), options, call);
    if (put || azure::is_condition_not_met(put.error()) || azure::is_missing_blob(put.error())) return {};
    return fail(put.error());
}

Status upload_output(const OutputPlace& place, const QueueTask& task, const std::shared_ptr<const http::Body>& body,
                     const azure::Call& call) {
    azure::BlobAddress blob = place.prefix;
    blob.blob += "/" + task.id + "." + std::to_string(task.attempts);
    azure::PutBlobOptions options = output_options();
    options.metadata[kTaskClaimName] = task.claim;
    options.conditions.if_none_match = "*";
    const auto put = place.client.put_blob(blob, body, options, call);
    if (put) return {};
    if (put.error().http_status == 409) {
        const auto head = place.client.get_properties(blob, {}, call);
        if (head && azure::find_metadata(head->properties.metadata, kTaskClaimName) == task.claim) return {};
    }
    return fail(put.error());
}

}  // namespace azlock::ops
