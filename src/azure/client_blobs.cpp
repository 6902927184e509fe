// BlobClient: whole blobs, blocks and appends.
#include "azure/call_reading.hpp"
#include "azure/client.hpp"
#include "azure/service_error.hpp"
#include "base/text.hpp"
#include "http/transport_error.hpp"

namespace azlock::azure {
namespace {

// Passes on only the content that was requested, so that the text of an error or a sign-in page is not taken as
// content.
class ContentSink final : public http::BodySink {
  public:
    ContentSink(http::BodySink& sink, const std::optional<ByteRange>& range) : sink_(sink), range_(range) {}

    [[nodiscard]] bool begin(const http::Response& head) override {
        if (!is_from_service(head)) return false;
        return is_content(head) && sink_.begin(head);
    }
    [[nodiscard]] Status write(ByteView data) override { return sink_.write(data); }

    [[nodiscard]] bool is_content(const http::Response& head) const {
        if (!range_) return head.status == 200;
        const auto got = parse_content_range(head.headers.get("Content-Range"));
        return head.status == 206 && got && got->first == range_->offset &&
               (!range_->length || got->last - got->first < *range_->length);
    }

  private:
    http::BodySink& sink_;
    std::optional<ByteRange> range_;
};

}  // namespace

Result<WriteResult> BlobClient::put_blob(const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                                         const PutBlobOptions& options, const Call& call) {
    return send_and_read(pipeline_, make_put_blob(endpoint_, blob, std::move(body), options), call, read_write_result);
}

Result<BlobClient::GetResult> BlobClient::get_blob(const BlobAddress& blob, const std::optional<ByteRange>& range,
                                                   const Conditions& conditions, http::BodySink& sink,
                                                   const Call& call) {
    Operation op = make_get_blob(endpoint_, blob, range, conditions);
    ContentSink content(sink, range);
    op.request.sink = &content;
    return send_and_read(pipeline_, std::move(op), call, [&](const http::Response& response) -> Result<GetResult> {
        if (!content.is_content(response)) {
            return fail(http::malformed_error("the answer is not the range that was asked for"));
        }
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
                         [](const http::Response& response) {
                             return read_blob_properties(response).map([&](BlobProperties properties) {
                                 return HeadResult{std::move(properties), std::string(response.headers.get("Date"))};
                             });
                         });
}

Result<WriteResult> BlobClient::set_metadata(const BlobAddress& blob, const Metadata& metadata,
                                             const Conditions& conditions, const Call& call) {
    return send_and_read(pipeline_, make_set_blob_metadata(endpoint_, blob, metadata, conditions), call,
                         read_write_result);
}

Result<std::string> BlobClient::get_tags(const BlobAddress& blob, std::string_view lease_id, const Call& call) {
    return send_and_read(pipeline_, make_get_blob_tags(endpoint_, blob, lease_id), call,
                         [](const http::Response& answer) { return read_tags(answer.body); });
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

Result<BlobClient::BlockListHead> BlobClient::get_block_list(const BlobAddress& blob, BlockListType type,
                                                             std::string_view lease_id, BlockVisitor visit,
                                                             std::function<void()> restart, const Call& call) {
    Operation op = make_get_block_list(endpoint_, blob, type, lease_id);
    BlockListSink sink(std::move(visit), std::move(restart));
    op.request.sink = &sink;
    return send_and_read(pipeline_, std::move(op), call, [&](const http::Response& answer) -> Result<BlockListHead> {
        if (auto whole = sink.finish(); !whole) return fail(whole.error());
        return BlockListHead{std::string(answer.headers.get("ETag")),
                             parse_u64(answer.headers.get("x-ms-blob-content-length"))};
    });
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
