// BlobClient: whole blobs, blocks and appends.
#include "azure/call_reading.hpp"
#include "azure/client.hpp"

namespace azlock::azure {

Result<WriteResult> BlobClient::put_blob(const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                                         const PutBlobOptions& options, const Call& call) {
    return send_and_read(pipeline_, make_put_blob(endpoint_, blob, std::move(body), options), call, read_write_result);
}

Result<BlobClient::GetResult> BlobClient::get_blob(const BlobAddress& blob, const std::optional<ByteRange>& range,
                                                   const Conditions& conditions, http::BodySink& sink,
                                                   const Call& call) {
    Operation op = make_get_blob(endpoint_, blob, range, conditions);
    op.request.sink = &sink;
    return send_and_read(pipeline_, std::move(op), call, [](const http::Response& response) -> Result<GetResult> {
        auto properties = read_blob_properties(response);
        if (!properties) return fail(properties.error());
        GetResult out{std::move(*properties), {}};
        if (response.status == 206) out.range = parse_content_range(response.headers.get("Content-Range"));
        return out;
    });
}

Result<BlobClient::HeadResult> BlobClient::get_properties(const BlobAddress& blob, const Conditions& conditions,
                                                          const Call& call) {
    return send_and_read(pipeline_, make_get_blob_properties(endpoint_, blob, conditions), call,
                         [](const http::Response& response) -> Result<HeadResult> {
                             auto properties = read_blob_properties(response);
                             if (!properties) return fail(properties.error());
                             return HeadResult{std::move(*properties), std::string(response.headers.get("Date"))};
                         });
}

Result<WriteResult> BlobClient::set_properties(const BlobAddress& blob, const ContentHeaders& content,
                                               const Conditions& conditions, const Call& call) {
    return send_and_read(pipeline_, make_set_blob_properties(endpoint_, blob, content, conditions), call,
                         read_write_result);
}

Result<WriteResult> BlobClient::set_metadata(const BlobAddress& blob, const Metadata& metadata,
                                             const Conditions& conditions, const Call& call) {
    return send_and_read(pipeline_, make_set_blob_metadata(endpoint_, blob, metadata, conditions), call,
                         read_write_result);
}

Status BlobClient::delete_blob(const BlobAddress& blob, std::string_view snapshots, const Conditions& conditions,
                               const Call& call) {
    return send_only(pipeline_, make_delete_blob(endpoint_, blob, snapshots, conditions), call);
}

Status BlobClient::put_block(const BlobAddress& blob, std::string_view block_id, std::shared_ptr<const http::Body> body,
                             const Checksum& checksum, std::string_view lease_id, const Call& call) {
    return send_only(pipeline_, make_put_block(endpoint_, blob, block_id, std::move(body), checksum, lease_id), call);
}

Result<WriteResult> BlobClient::put_block_list(const BlobAddress& blob, const std::vector<BlockListEntry>& entries,
                                               const PutBlockListOptions& options, const Call& call) {
    return send_and_read(pipeline_, make_put_block_list(endpoint_, blob, entries, options), call, read_write_result);
}

Status BlobClient::get_block_list(const BlobAddress& blob, BlockListType type, std::string_view lease_id,
                                  BlockVisitor visit, std::function<void()> restart, const Call& call) {
    Operation op = make_get_block_list(endpoint_, blob, type, lease_id);
    BlockListSink sink(std::move(visit), std::move(restart));
    op.request.sink = &sink;
    return send_and_read(pipeline_, std::move(op), call, [&](const http::Response&) { return sink.finish(); });
}

Result<AppendResult> BlobClient::append_block(const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                                              const AppendOptions& options, const Call& call) {
    return send_and_read(pipeline_, make_append_block(endpoint_, blob, std::move(body), options), call,
                         read_append_result);
}

Status BlobClient::seal(const BlobAddress& blob, std::optional<std::uint64_t> append_position,
                        const Conditions& conditions, const Call& call) {
    return send_only(pipeline_, make_seal(endpoint_, blob, append_position, conditions), call);
}

}  // namespace azlock::azure
