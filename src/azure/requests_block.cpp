// Requests for blocks and append blocks.
#include "azure/request_parts.hpp"

namespace azlock::azure {

using http::Method;

Operation make_put_block(const Endpoint& endpoint, const BlobAddress& blob, std::string_view block_id,
                         std::shared_ptr<const http::Body> body, const Checksum& checksum, std::string_view lease_id) {
    Operation op = parts::start("Put Block", Method::put, endpoint, blob, 201);
    op.replay = Replay::harmless;
    parts::add_query(op, "comp", "block");
    parts::add_query(op, "blockid", std::string(block_id));
    parts::add_checksum(op, checksum);
    parts::add_header(op, "x-ms-lease-id", lease_id);
    op.request.body = std::move(body);
    return op;
}

std::string make_block_list_xml(const std::vector<BlockListEntry>& entries) {
    std::string xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
    if (!entries.empty()) xml.reserve(xml.size() + entries.size() * (entries.front().id.size() + 32) + 16);
    for (const BlockListEntry& entry : entries) {
        const std::string_view element = entry.source == BlockSource::latest      ? "Latest"
                                         : entry.source == BlockSource::committed ? "Committed"
                                                                                  : "Uncommitted";
        xml += '<';
        xml += element;
        xml += '>';
        xml += entry.id;
        xml += "</";
        xml += element;
        xml += '>';
    }
    xml += "</BlockList>";
    return xml;
}

Operation make_put_block_list(const Endpoint& endpoint, const BlobAddress& blob,
                              const std::vector<BlockListEntry>& entries, const PutBlockListOptions& options) {
    Operation op = parts::start("Put Block List", Method::put, endpoint, blob, 201);
    op.replay = parts::replay_of_create(options.conditions);
    parts::add_query(op, "comp", "blocklist");
    parts::add_header(op, "Content-Type", "application/xml");
    parts::add_content(op, options.content);
    parts::add_metadata(op, options.metadata);
    parts::add_header(op, "x-ms-tags", options.tags);
    parts::add_header(op, "x-ms-access-tier", options.access_tier);
    parts::add_conditions(op, options.conditions);
    op.request.body = http::make_body(make_block_list_xml(entries));
    return op;
}

Operation make_get_block_list(const Endpoint& endpoint, const BlobAddress& blob, BlockListType type,
                              std::string_view lease_id) {
    Operation op = parts::start("Get Block List", Method::get, endpoint, blob, 200);
    parts::add_query(op, "comp", "blocklist");
    parts::add_query(op, "blocklisttype",
                     type == BlockListType::all         ? "all"
                     : type == BlockListType::committed ? "committed"
                                                        : "uncommitted");
    parts::add_header(op, "x-ms-lease-id", lease_id);
    return op;
}

Operation make_append_block(const Endpoint& endpoint, const BlobAddress& blob, std::shared_ptr<const http::Body> body,
                            const AppendOptions& options) {
    Operation op = parts::start("Append Block", Method::put, endpoint, blob, 201);
    op.replay = options.append_position ? Replay::conditional : parts::replay_of(options.conditions, Replay::ambiguous);
    parts::add_query(op, "comp", "appendblock");
    if (options.append_position) {
        parts::add_header(op, "x-ms-blob-condition-appendpos", std::to_string(*options.append_position));
    }
    if (options.max_size) parts::add_header(op, "x-ms-blob-condition-maxsize", std::to_string(*options.max_size));
    parts::add_checksum(op, options.checksum);
    parts::add_conditions(op, options.conditions);
    op.request.body = std::move(body);
    return op;
}

Operation make_seal(const Endpoint& endpoint, const BlobAddress& blob, std::optional<std::uint64_t> append_position,
                    const Conditions& conditions) {
    Operation op = parts::start("Append Blob Seal", Method::put, endpoint, blob, 200);
    op.replay = Replay::harmless;
    parts::add_query(op, "comp", "seal");
    if (append_position) parts::add_header(op, "x-ms-blob-condition-appendpos", std::to_string(*append_position));
    parts::add_conditions(op, conditions);
    return op;
}

}  // namespace azlock::azure
