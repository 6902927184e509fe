#include "azure/responses.hpp"

#include "azure/service_error.hpp"
#include "base/text.hpp"
#include "http/transport_error.hpp"

namespace azlock::azure {
namespace {

constexpr std::string_view kMetadataPrefix = "x-ms-meta-";
constexpr std::uint64_t kMaxLeaseTime = 24 * 3600;  // far above the service's 60 seconds

Error missing(std::string_view what) {
    return http::malformed_error("the service's answer lacks " + std::string(what));
}

std::optional<std::uint64_t> number(const http::Headers& headers, std::string_view name) {
    const auto* value = headers.find(name);
    return value == nullptr ? std::nullopt : parse_u64(trim(*value));
}

Metadata read_metadata(const http::Headers& headers) {
    Metadata metadata;
    for (const auto& [name, value] : headers) {
        if (istarts_with(name, kMetadataPrefix)) metadata.emplace(name.substr(kMetadataPrefix.size()), value);
    }
    return metadata;
}

LeaseInfo read_lease_info(const http::Headers& headers) {
    return {std::string(headers.get("x-ms-lease-status")), std::string(headers.get("x-ms-lease-state")),
            std::string(headers.get("x-ms-lease-duration"))};
}

}  // namespace

Result<BlobProperties> read_blob_properties(const http::Response& response) {
    const http::Headers& headers = response.headers;
    BlobProperties out;
    out.etag = headers.get("ETag");
    if (out.etag.empty()) return fail(missing("the ETag"));
    if (response.status == 206) {
        const auto parsed = parse_content_range(headers.get("Content-Range"));
        if (!parsed) return fail(missing("a valid Content-Range"));
        out.content_length = parsed->total;
    } else {
        const auto length = number(headers, "Content-Length");
        if (!length) return fail(missing("a valid Content-Length"));
        out.content_length = *length;
    }
    out.last_modified = headers.get("Last-Modified");
    out.creation_time = headers.get("x-ms-creation-time");
    out.content.type = headers.get("Content-Type");
    out.content.encoding = headers.get("Content-Encoding");
    out.content.language = headers.get("Content-Language");
    out.content.disposition = headers.get("Content-Disposition");
    out.content.cache_control = headers.get("Cache-Control");
    // Content-MD5 is that of the whole blob only in an answer without a range [Get Blob].
    out.content.md5 = headers.get(headers.has("x-ms-blob-content-md5") ? "x-ms-blob-content-md5" : "Content-MD5");
    if (response.status == 206 && !headers.has("x-ms-blob-content-md5")) out.content.md5.clear();
    out.blob_type = headers.get("x-ms-blob-type");
    out.access_tier = headers.get("x-ms-access-tier");
    out.access_tier_inferred = iequals(headers.get("x-ms-access-tier-inferred"), "true");
    out.version_id = headers.get("x-ms-version-id");
    out.sealed = iequals(headers.get("x-ms-blob-sealed"), "true");
    out.committed_block_count = number(headers, "x-ms-blob-committed-block-count");
    out.tag_count = number(headers, "x-ms-tag-count").value_or(0);
    out.lease = read_lease_info(headers);
    out.metadata = read_metadata(headers);
    return out;
}

ContainerProperties read_container_properties(const http::Response& response) {
    const http::Headers& headers = response.headers;
    ContainerProperties out;
    out.etag = headers.get("ETag");
    out.last_modified = headers.get("Last-Modified");
    out.public_access = headers.get("x-ms-blob-public-access");
    out.lease = read_lease_info(headers);
    out.metadata = read_metadata(headers);
    out.has_immutability_policy = iequals(headers.get("x-ms-has-immutability-policy"), "true");
    out.has_legal_hold = iequals(headers.get("x-ms-has-legal-hold"), "true");
    return out;
}

Result<WriteResult> read_write_result(const http::Response& response) {
    WriteResult out{std::string(response.headers.get("ETag")), std::string(response.headers.get("Last-Modified")),
                    std::string(response.headers.get("x-ms-version-id"))};
    if (out.etag.empty()) return fail(missing("the ETag"));
    return out;
}

Result<AppendResult> read_append_result(const http::Response& response) {
    AppendResult out;
    out.etag = response.headers.get("ETag");
    const auto offset = number(response.headers, "x-ms-blob-append-offset");
    if (out.etag.empty() || !offset) return fail(missing("the ETag or append offset"));
    out.offset = *offset;
    out.committed_blocks = number(response.headers, "x-ms-blob-committed-block-count").value_or(0);
    return out;
}

Result<LeaseResult> read_lease_result(const http::Response& response) {
    LeaseResult out;
    out.lease_id = response.headers.get("x-ms-lease-id");
    out.etag = response.headers.get("ETag");
    out.date = response.headers.get("Date");
    if (const auto seconds = number(response.headers, "x-ms-lease-time"); seconds && *seconds <= kMaxLeaseTime) {
        out.seconds_left = static_cast<int>(*seconds);
    }
    return out;
}

std::optional<ContentRange> parse_content_range(std::string_view value) {
    value = trim(value);
    if (!istarts_with(value, "bytes ")) return std::nullopt;
    value.remove_prefix(6);
    const std::size_t dash = value.find('-');
    const std::size_t slash = value.find('/');
    if (dash == std::string_view::npos || slash == std::string_view::npos || dash > slash) return std::nullopt;
    const auto first = parse_u64(value.substr(0, dash));
    const auto last = parse_u64(value.substr(dash + 1, slash - dash - 1));
    const auto total = parse_u64(value.substr(slash + 1));
    if (!first || !last || !total || *first > *last || *last >= *total) return std::nullopt;
    return ContentRange{*first, *last, *total};
}

BlockListSink::BlockListSink(BlockVisitor visit, std::function<void()> restart)
    : visit_(std::move(visit)), restart_(std::move(restart)) {}

bool BlockListSink::begin(const http::Response& head) {
    reader_ = std::make_unique<XmlReader>(static_cast<XmlReader::Visitor&>(*this));
    is_block_list_ = false;
    bad_entry_ = false;
    restart_();
    return head.status == 200 && is_from_service(head);
}

Status BlockListSink::write(ByteView data) {
    return reader_->feed(data);
}

Status BlockListSink::finish() {
    if (!reader_) return fail(missing("the block list"));
    if (auto ok = reader_->finish(); !ok) return ok;
    if (!is_block_list_ || bad_entry_) return fail(missing("a valid block list"));
    return {};
}

void BlockListSink::start(std::string_view path) {
    if (path == "BlockList") is_block_list_ = true;
    if (path == "BlockList/CommittedBlocks/Block" || path == "BlockList/UncommittedBlocks/Block") {
        id_.clear();
        size_.reset();
    }
}

void BlockListSink::end(std::string_view path, const std::string& content, bool /*encoded*/) {
    if (!path.starts_with("BlockList/")) return;
    if (path.ends_with("/Block/Name")) id_ = content;
    if (path.ends_with("/Block/Size")) size_ = parse_u64(trim(content));
    const bool committed = path == "BlockList/CommittedBlocks/Block";
    if (!committed && path != "BlockList/UncommittedBlocks/Block") return;
    if (!size_ || id_.empty()) {
        bad_entry_ = true;
        return;
    }
    visit_({id_, *size_, committed});
}

}  // namespace azlock::azure
