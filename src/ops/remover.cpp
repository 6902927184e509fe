#include "ops/remover.hpp"

#include "base/http_date.hpp"

namespace azlock::ops {
namespace {

// Last-Modified counts whole seconds, and so does Date.
constexpr auto kDateSlack = std::chrono::seconds(2);

bool is_gone(const Error& error) { return error.http_status == 404; }

Error undecided(Error failure) {
    failure.code = ErrorCode::unavailable;
    failure.message = "the blob was written again meanwhile, and the answer to the delete was lost; it may have been "
                      "carried out on the earlier version";
    failure.hint = "look at the blob before deleting it again";
    return failure;
}

// True if the blob that stands there now was surely there, unchanged, before we sent anything.
bool is_older_than(const azure::BlobClient::HeadResult& head, std::chrono::nanoseconds since_start) {
    const auto now = parse_http_date(head.date);
    const auto written = parse_http_date(head.properties.last_modified);
    return now && written && *written + kDateSlack < *now - since_start;
}

}  // namespace

Status remove_blob(azure::BlobClient& client, const azure::BlobAddress& blob, const DeleteOptions& options,
                   const azure::Call& call) {
    const BootTime start = client.clock().now();
    auto deleted = client.delete_blob(blob, options.snapshots, options.conditions, call);
    if (deleted || !deleted.error().may_have_applied || deleted.error().code == ErrorCode::cancelled) return deleted;
    if (is_gone(deleted.error())) return {};

    const auto head = client.get_properties(blob, {}, call);
    if (!head) return is_gone(head.error()) ? Status{} : deleted;
    if (!is_older_than(*head, client.clock().now() - start)) return fail(undecided(deleted.error()));
    if (deleted.error().code != ErrorCode::unavailable) return deleted;  // a certain refusal of the version we meant
    azure::Conditions pinned = options.conditions;
    pinned.if_match = head->properties.etag;
    pinned.if_unmodified_since.clear();
    auto again = client.delete_blob(blob, options.snapshots, pinned, call);
    if (!again && again.error().may_have_applied && is_gone(again.error())) return {};
    return again;
}

}  // namespace azlock::ops
