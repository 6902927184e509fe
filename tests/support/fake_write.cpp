// Put Blob, metadata, properties, Delete and Lease Blob of the fake service.
#include <array>

#include "base/text.hpp"
#include "support/fake_handlers.hpp"
#include "support/fake_integrity.hpp"

namespace azlock::test::fake {
namespace {

Reply versioned(int status, const Blob& blob) {
    Reply out(status);
    write_version(blob.etag, blob.last_modified, out.headers);
    out.headers.set("x-ms-request-server-encrypted", "true");
    return out;
}

// For operations on a blob that must exist. If the blob is missing, a request with If-Match gets 412, any other 404.
Check check_existing(Store& store, const Call& call, Star star, bool staged_is_enough = false) {
    if (store.find_container(call.container) == nullptr) return refusal(404, "ContainerNotFound");
    const Blob* blob = store.find_blob(call);
    if (blob == nullptr || (!blob->committed && !staged_is_enough)) {
        if (call.has("If-Match")) return refusal(412, "ConditionNotMet");
        return refusal(404, "BlobNotFound");
    }
    return check_blob_write(store, call, star);
}

Check read_blob_type(const Call& call, BlobType& type) {
    const std::string_view text = call.header("x-ms-blob-type");
    if (text.empty()) return missing_header("x-ms-blob-type");
    if (text != "BlockBlob" && text != "AppendBlob") return bad_header("x-ms-blob-type", text);
    type = text == "BlockBlob" ? BlobType::block : BlobType::append;
    if (type == BlobType::append && !call.body->empty()) {
        return bad_header("Content-Length", std::to_string(call.body->size()));
    }
    for (const char* name : {"x-ms-blob-content-length", "x-ms-blob-sequence-number"}) {
        if (call.has(name)) return Refusal{400, "UnsupportedHeader", "HeaderName", name};
    }
    return std::nullopt;
}

}  // namespace

Properties read_properties(const Call& call, bool fall_back) {
    const auto pick = [&](const char* own, const char* standard) {
        if (call.has(own) || !fall_back) return std::string(call.header(own));
        return std::string(call.header(standard));
    };
    Properties out;
    out.content_type = pick("x-ms-blob-content-type", "Content-Type");
    out.content_encoding = pick("x-ms-blob-content-encoding", "Content-Encoding");
    out.content_language = pick("x-ms-blob-content-language", "Content-Language");
    out.content_md5 = std::string(call.header("x-ms-blob-content-md5"));
    out.cache_control = pick("x-ms-blob-cache-control", "Cache-Control");
    out.content_disposition = std::string(call.header("x-ms-blob-content-disposition"));
    return out;
}

bool any_property(const Call& call) {
    constexpr std::array<const char*, 6> kNames = {"x-ms-blob-content-type",     "x-ms-blob-content-encoding",
                                                   "x-ms-blob-content-language", "x-ms-blob-content-md5",
                                                   "x-ms-blob-cache-control",    "x-ms-blob-content-disposition"};
    for (const char* name : kNames) {
        if (call.has(name)) return true;
    }
    return false;
}

Check check_blob_write(Store& store, const Call& call, Star star) {
    if (store.find_container(call.container) == nullptr) return refusal(404, "ContainerNotFound");
    const Blob* blob = store.find_blob(call);
    // The lease comes before the conditions (Azurite#2637 has the trace of the live service).
    const Lease none("Blob");
    if (auto no = (blob != nullptr ? blob->lease : none).allows_write(call)) return no;
    return check_write(call, subject_of(blob), star);
}

Reply put_blob(Store& store, const Call& call) {
    Blob fresh;
    if (auto no = read_blob_type(call, fresh.type)) return *no;
    if (auto no = read_metadata(call, store.limits, fresh.metadata)) return *no;
    const bool own_md5 = call.has("x-ms-blob-content-md5");
    if (auto no = check_integrity(call, own_md5 ? "x-ms-blob-content-md5" : "Content-MD5")) return *no;
    if (auto no = check_blob_write(store, call, Star::already_exists)) return *no;
    Container& container = *store.find_container(call.container);
    const Blob* old = store.find_blob(call);
    if (old != nullptr && old->committed && old->type != fresh.type) return refusal(409, "InvalidBlobType");
    if (old != nullptr && !old->committed && store.staged_blocks_refuse_create && call.header("If-None-Match") == "*") {
        return refusal(409, "BlobAlreadyExists");
    }
    if (old != nullptr) {
        fresh.lease = old->lease;
        fresh.tier = old->tier;
    }
    fresh.committed = true;
    fresh.created = old != nullptr && old->committed ? old->created : call.wall;
    fresh.properties = read_properties(call, true);
    if (fresh.type == BlobType::block) fresh.properties.content_md5 = md5_header(*call.body);
    if (!call.body->empty()) fresh.content.push_back({"", call.body});
    fresh.tags = std::string(call.header("x-ms-tags"));
    if (call.has("x-ms-access-tier")) fresh.tier = std::string(call.header("x-ms-access-tier"));
    fresh.lease.note_write(call.now);
    touch(store, fresh, call.wall);
    Reply out = versioned(201, fresh);
    out.headers.set("Content-MD5", md5_header(*call.body));
    if (call.has("x-ms-content-crc64")) out.headers.set("x-ms-content-crc64", crc64_header(*call.body));
    container.blobs.insert_or_assign(call.blob, std::move(fresh));
    return out;
}

Reply set_metadata(Store& store, const Call& call) {
    Metadata fresh;
    if (auto no = read_metadata(call, store.limits, fresh)) return *no;
    if (auto no = check_existing(store, call, Star::unmet)) return *no;
    Blob& blob = *store.find_blob(call);
    blob.metadata = std::move(fresh);
    blob.lease.note_write(call.now);
    touch(store, blob, call.wall);
    return versioned(200, blob);
}

Reply set_properties(Store& store, const Call& call) {
    if (auto no = check_existing(store, call, Star::ignored)) return *no;
    Blob& blob = *store.find_blob(call);
    if (any_property(call)) blob.properties = read_properties(call, false);
    blob.lease.note_write(call.now);
    touch(store, blob, call.wall);
    return versioned(200, blob);
}

Reply delete_blob(Store& store, const Call& call) {
    const std::string_view snapshots = call.header("x-ms-delete-snapshots");
    if (call.has("x-ms-delete-snapshots") && snapshots != "include" && snapshots != "only") {
        return bad_header("x-ms-delete-snapshots", snapshots);
    }
    if (auto no = check_existing(store, call, Star::ignored, true)) return *no;
    if (snapshots != "only") store.find_container(call.container)->blobs.erase(call.blob);  // there are no snapshots
    Reply out(202);
    out.headers.set("x-ms-delete-type-permanent", "true");
    return out;
}

Reply lease_blob(Store& store, const Call& call) {
    if (store.find_container(call.container) == nullptr) return refusal(404, "ContainerNotFound");
    Blob* blob = store.find_blob(call);
    if (blob == nullptr) return refusal(404, "BlobNotFound");
    if (auto no = check_write(call, subject_of(blob), Star::unmet)) return *no;
    Reply out = blob->lease.act(call);
    if (!out.refused && blob->committed) write_version(blob->etag, blob->last_modified, out.headers);
    return out;
}

}  // namespace azlock::test::fake
