// Append Block and Append Blob Seal of the fake service.
#include "base/text.hpp"
#include "support/fake_handlers.hpp"
#include "support/fake_integrity.hpp"

namespace azlock::test::fake {
namespace {

Check check_number(const Call& call, const char* name, std::optional<std::uint64_t>& out) {
    if (!call.has(name)) return std::nullopt;
    out = parse_u64(call.header(name));
    return out ? Check{} : Check{bad_header(name, call.header(name))};
}

Check check_append_blob(Store& store, const Call& call) {
    if (store.find_container(call.container) == nullptr) return refusal(404, "ContainerNotFound");
    const Blob* blob = store.find_blob(call);
    if (blob == nullptr || !blob->committed) {
        return call.has("If-Match") ? refusal(412, "ConditionNotMet") : refusal(404, "BlobNotFound");
    }
    if (blob->type != BlobType::append) return refusal(409, "InvalidBlobType");
    return check_blob_write(store, call, Star::unmet);
}

}  // namespace

Reply append_block(Store& store, const Call& call) {
    std::optional<std::uint64_t> position;
    std::optional<std::uint64_t> max_size;
    if (call.body->empty()) return bad_header("Content-Length", "0");
    if (auto no = check_number(call, "x-ms-blob-condition-appendpos", position)) return *no;
    if (auto no = check_number(call, "x-ms-blob-condition-maxsize", max_size)) return *no;
    if (auto no = check_integrity(call)) return *no;
    if (auto no = check_append_blob(store, call)) return *no;
    Blob& blob = *store.find_blob(call);
    if (blob.sealed) return refusal(409, "BlobIsSealed");
    const std::uint64_t offset = blob.size();
    if (position && *position != offset) return refusal(412, "AppendPositionConditionNotMet");
    if (max_size && offset + call.body->size() > *max_size) return refusal(412, "MaxBlobSizeConditionNotMet");
    if (blob.content.size() >= store.limits.committed_blocks) return refusal(409, "BlockCountExceedsLimit");
    blob.content.push_back({"", call.body});
    blob.lease.note_write(call.now);
    touch(store, blob, call.wall);
    Reply out(201);
    write_version(blob.etag, blob.last_modified, out.headers);
    confirm_integrity(call, out);
    out.headers.set("x-ms-blob-append-offset", std::to_string(offset));
    out.headers.set("x-ms-blob-committed-block-count", std::to_string(blob.content.size()));
    out.headers.set("x-ms-request-server-encrypted", "true");
    return out;
}

Reply seal_blob(Store& store, const Call& call) {
    std::optional<std::uint64_t> position;
    if (auto no = check_number(call, "x-ms-blob-condition-appendpos", position)) return *no;
    if (auto no = check_append_blob(store, call)) return *no;
    Blob& blob = *store.find_blob(call);
    if (position && *position != blob.size()) return refusal(412, "AppendPositionConditionNotMet");
    blob.sealed = true;  // the ETag and Last-Modified do not change
    blob.lease.note_write(call.now);
    Reply out(200);
    write_version(blob.etag, blob.last_modified, out.headers);
    out.headers.set("x-ms-blob-sealed", "true");
    return out;
}

}  // namespace azlock::test::fake
