// Get Blob, Get Blob Properties and Get Blob Metadata of the fake service.
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "support/fake_handlers.hpp"
#include "support/fake_integrity.hpp"

namespace azlock::test::fake {
namespace {

constexpr std::uint64_t kMaxHashedRange = 4 * 1024 * 1024;

struct Range {
    std::uint64_t first = 0;
    std::optional<std::uint64_t> last;
};

// "bytes=a-b" or "bytes=a-". Other forms are not supported by the service and count as absent.
std::optional<Range> read_range(const Call& call) {
    std::string_view text = call.has("x-ms-range") ? call.header("x-ms-range") : call.header("Range");
    if (!text.starts_with("bytes=")) return std::nullopt;
    text.remove_prefix(6);
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto first = parse_u64(text.substr(0, dash));
    const auto last = parse_u64(text.substr(dash + 1));
    if (!first || (!last && dash + 1 != text.size()) || (last && *last < *first)) return std::nullopt;
    return Range{*first, last};
}

Check check_blob_read(Store& store, const Call& call) {
    if (store.find_container(call.container) == nullptr) return refusal(404, "ContainerNotFound");
    const Blob* blob = store.find_blob(call);
    if (blob == nullptr || !blob->committed) return refusal(404, "BlobNotFound");
    if (auto no = blob->lease.allows_read(call)) return no;
    return check_read(call, subject_of(blob));
}

std::size_t count_tags(const std::string& tags) {
    return tags.empty() ? 0 : split(tags, '&').size();
}

void describe(const Blob& blob, BootTime now, http::Headers& out) {
    const Properties& p = blob.properties;
    out.set("Content-Type", p.content_type.empty() ? "application/octet-stream" : p.content_type);
    if (!p.content_encoding.empty()) out.set("Content-Encoding", p.content_encoding);
    if (!p.content_language.empty()) out.set("Content-Language", p.content_language);
    if (!p.cache_control.empty()) out.set("Cache-Control", p.cache_control);
    if (!p.content_disposition.empty()) out.set("Content-Disposition", p.content_disposition);
    write_version(blob.etag, blob.last_modified, out);
    out.set("Accept-Ranges", "bytes");
    out.set("x-ms-creation-time", format_http_date(blob.created));
    out.set("x-ms-blob-type", blob.type == BlobType::block ? "BlockBlob" : "AppendBlob");
    out.set("x-ms-server-encrypted", "true");
    if (blob.type == BlobType::append) {
        out.set("x-ms-blob-committed-block-count", std::to_string(blob.content.size()));
        if (blob.sealed) out.set("x-ms-blob-sealed", "true");
    }
    if (!blob.tags.empty()) out.set("x-ms-tag-count", std::to_string(count_tags(blob.tags)));
    blob.lease.describe(now, out);
    write_metadata(blob.metadata, out);
}

bool wants(const Call& call, const char* name) {
    return iequals(call.header(name), "true");
}

}  // namespace

Reply get_blob(Store& store, const Call& call) {
    if (auto no = check_blob_read(store, call)) return *no;
    const Blob& blob = *store.find_blob(call);
    if (blob.tier == "Archive") return refusal(409, "BlobArchived");
    const std::uint64_t size = blob.size();
    const auto range = read_range(call);
    const bool hash = wants(call, "x-ms-range-get-content-md5") || wants(call, "x-ms-range-get-content-crc64");
    if (hash && !range) return bad_header("x-ms-range-get-content-md5", "true");
    Reply out(200);
    describe(blob, call.now, out.headers);
    const std::string& md5 = blob.properties.content_md5;
    if (!range) {
        if (!md5.empty()) out.headers.set("Content-MD5", md5);
        out.body = blob.read(0, size);
        return out;
    }
    if (range->first >= size) {
        Reply no(refusal(416, "InvalidRange"));
        no.headers.set("Content-Range", "bytes */" + std::to_string(size));
        return no;
    }
    const std::uint64_t last = std::min(range->last.value_or(size - 1), size - 1);
    const std::uint64_t length = last - range->first + 1;
    if (hash && range->last.value_or(size - 1) - range->first + 1 > kMaxHashedRange) {
        return bad_header("x-ms-range-get-content-md5", "true");
    }
    out.status = 206;
    out.body = blob.read(range->first, length);
    out.headers.set("Content-Range",
                    "bytes " + std::to_string(range->first) + "-" + std::to_string(last) + "/" + std::to_string(size));
    if (!md5.empty()) out.headers.set("x-ms-blob-content-md5", md5);
    if (wants(call, "x-ms-range-get-content-md5")) out.headers.set("Content-MD5", md5_header(out.body));
    if (wants(call, "x-ms-range-get-content-crc64")) out.headers.set("x-ms-content-crc64", crc64_header(out.body));
    return out;
}

Reply get_properties(Store& store, const Call& call) {
    if (auto no = check_blob_read(store, call)) return *no;
    const Blob& blob = *store.find_blob(call);
    Reply out(200);
    describe(blob, call.now, out.headers);
    // Get Blob does not return the tier.
    out.headers.set("x-ms-access-tier", blob.tier.empty() ? "Hot" : blob.tier);
    if (blob.tier.empty()) out.headers.set("x-ms-access-tier-inferred", "true");
    if (!blob.properties.content_md5.empty()) out.headers.set("Content-MD5", blob.properties.content_md5);
    out.headers.set("Content-Length", std::to_string(blob.size()));
    return out;
}

Reply get_metadata(Store& store, const Call& call) {
    if (auto no = check_blob_read(store, call)) return *no;
    const Blob& blob = *store.find_blob(call);
    Reply out(200);
    write_version(blob.etag, blob.last_modified, out.headers);
    write_metadata(blob.metadata, out.headers);
    return out;
}

Reply get_tags(Store& store, const Call& call) {
    if (auto no = check_blob_read(store, call)) return *no;
    Reply out(200);
    out.headers.set("Content-Type", "application/xml");
    out.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><Tags><TagSet>";
    const std::string& tags = store.find_blob(call)->tags;
    for (const std::string_view pair : tags.empty() ? std::vector<std::string_view>() : split(tags, '&')) {
        const std::size_t equals = pair.find('=');
        out.body += "<Tag><Key>" + percent_decode(pair.substr(0, equals)).value_or("") + "</Key><Value>" +
                    percent_decode(pair.substr(equals + 1)).value_or("") + "</Value></Tag>";
    }
    out.body += "</TagSet></Tags>";
    return out;
}

}  // namespace azlock::test::fake
