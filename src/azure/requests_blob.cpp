// Requests for whole blobs: Put Blob, Get Blob, properties, metadata, Delete.
#include "azure/request_parts.hpp"

namespace azlock::azure {

using http::Method;

Operation make_put_blob(const Endpoint& endpoint, const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                        const PutBlobOptions& options) {
    Operation op = parts::start("Put Blob", Method::put, endpoint, blob, 201);
    op.replay = options.once ? Replay::ambiguous : parts::replay_of_create(options.conditions);
    parts::add_header(op, "x-ms-blob-type", options.blob_type);
    parts::add_content(op, options.content);
    parts::add_metadata(op, options.metadata);
    parts::add_header(op, "x-ms-tags", options.tags);
    parts::add_header(op, "x-ms-access-tier", options.access_tier);
    parts::add_checksum(op, options.checksum);
    parts::add_conditions(op, options.conditions);
    op.request.body = std::move(body);
    return op;
}

Operation make_get_blob(const Endpoint& endpoint, const BlobAddress& blob, const std::optional<ByteRange>& range,
                        const Conditions& conditions) {
    Operation op = parts::start("Get Blob", Method::get, endpoint, blob, range ? 206 : 200);
    if (range) {
        std::string text = "bytes=" + std::to_string(range->offset) + "-";
        if (range->length) {
            text += std::to_string(range->offset + *range->length - 1);
            op.expected_download = *range->length;
        }
        parts::add_header(op, "x-ms-range", text);
    }
    parts::add_conditions(op, conditions);
    return op;
}

Operation make_get_blob_properties(const Endpoint& endpoint, const BlobAddress& blob, const Conditions& conditions) {
    Operation op = parts::start("Get Blob Properties", Method::head, endpoint, blob, 200);
    parts::add_conditions(op, conditions);
    return op;
}

Operation make_set_blob_metadata(const Endpoint& endpoint, const BlobAddress& blob, const Metadata& metadata,
                                 const Conditions& conditions) {
    Operation op = parts::start("Set Blob Metadata", Method::put, endpoint, blob, 200);
    op.replay = parts::replay_of(conditions, Replay::harmless);
    parts::add_query(op, "comp", "metadata");
    parts::add_metadata(op, metadata);
    parts::add_conditions(op, conditions);
    return op;
}

Operation make_get_blob_tags(const Endpoint& endpoint, const BlobAddress& blob, std::string_view lease_id) {
    Operation op = parts::start("Get Blob Tags", Method::get, endpoint, blob, 200);
    parts::add_query(op, "comp", "tags");
    parts::add_header(op, "x-ms-lease-id", lease_id);
    return op;
}

Operation make_delete_blob(const Endpoint& endpoint, const BlobAddress& blob, std::string_view snapshots,
                           const Conditions& conditions) {
    Operation op = parts::start("Delete Blob", Method::del, endpoint, blob, 202);
    op.replay = parts::replay_of(conditions, Replay::ambiguous);
    parts::add_header(op, "x-ms-delete-snapshots", snapshots);
    parts::add_conditions(op, conditions);
    return op;
}

}  // namespace azlock::azure
