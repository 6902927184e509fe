#include "ops/read/listed_blob.hpp"

#include "azure/names.hpp"

namespace azlock::ops {
namespace {

Error with_target(Error error, const azure::BlobAddress& blob) {
    error.target = blob.to_string();
    return error;
}

// Empty: no blob has exactly this name.
Result<std::string> listed_etag(azure::BlobClient& client, const azure::BlobAddress& blob, const azure::Call& call) {
    azure::ListOptions options;
    options.prefix = blob.blob;
    if (!blob.snapshot.empty()) options.include = "snapshots";
    do {
        const auto page = client.list_blobs(blob.container, options, call);
        if (!page) return fail(page.error());
        for (const azure::ListedBlob& found : page->blobs) {
            if (found.name == blob.blob && found.snapshot == blob.snapshot) return found.properties.etag;
        }
        const bool past = !page->blobs.empty() && page->blobs.front().name != blob.blob;
        options.marker = past ? std::string() : page->next_marker;
    } while (!options.marker.empty());
    return std::string();
}

}  // namespace

Status pin_listed_blob(azure::BlobClient& client, const azure::BlobAddress& blob, azure::Conditions& conditions,
                       const azure::Call& call) {
    if (!azure::has_dot_at_end(blob.blob)) return {};
    const auto etag = listed_etag(client, blob, call);
    if (!etag) return fail(etag.error());
    if (etag->empty()) {
        return fail(
            with_target(make_error(ErrorCode::not_found, "no blob of the listing has exactly this name"), blob));
    }
    if (!conditions.if_match.empty() && conditions.if_match != "*" && conditions.if_match != *etag) {
        return fail(with_target(
            make_error(ErrorCode::precondition, "the condition is not met: the blob's ETag is " + *etag), blob));
    }
    conditions.if_match = *etag;
    return {};
}

}  // namespace azlock::ops
