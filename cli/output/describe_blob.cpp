#include "cli/output/describe_blob.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace azlock::cli {
namespace {

Json lease_json(const azure::LeaseInfo& lease) {
    Json out;
    out["state"] = or_null(lease.state);
    out["status"] = or_null(lease.status);
    out["duration"] = or_null(lease.duration);
    return out;
}

Json metadata_json(const azure::Metadata& metadata) {
    Json out = Json::object();
    for (const auto& [name, value] : metadata) out[name] = value;
    return out;
}

class Lines {
  public:
    void add(const std::string& name, const std::string& value) {
        if (!value.empty())
            lines_.push_back(name + ":" + std::string(name.size() < 18 ? 18 - name.size() : 1, ' ') + printable(value));
    }
    void add(const azure::Metadata& metadata) {
        for (const auto& [name, value] : metadata) lines_.push_back("metadata " + name + ": " + printable(value));
    }
    void add(const azure::LeaseInfo& lease) {
        add("lease", lease.duration.empty() ? lease.state : lease.state + ", " + lease.duration);
    }
    std::vector<std::string> take() { return std::move(lines_); }

  private:
    std::vector<std::string> lines_;
};

}  // namespace

std::string short_date(const std::string& http_date) {
    const auto time = parse_http_date(http_date);
    return time ? format_iso8601(*time) : http_date;
}

Json to_json(const azure::BlobProperties& p) {
    Json out;
    out["etag"] = or_null(p.etag);
    out["type"] = or_null(p.blob_type);
    out["size"] = p.content_length;
    out["last_modified"] = or_null(short_date(p.last_modified));
    out["created"] = or_null(short_date(p.creation_time));
    out["content_type"] = or_null(p.content.type);
    out["content_encoding"] = or_null(p.content.encoding);
    out["content_language"] = or_null(p.content.language);
    out["content_disposition"] = or_null(p.content.disposition);
    out["cache_control"] = or_null(p.content.cache_control);
    out["content_md5"] = or_null(p.content.md5);
    out["tier"] = or_null(p.access_tier);
    out["version_id"] = or_null(p.version_id);
    out["sealed"] = p.sealed;
    if (p.committed_block_count) out["append_blocks"] = *p.committed_block_count;
    out["tag_count"] = p.tag_count;
    out["lease"] = lease_json(p.lease);
    out["metadata"] = metadata_json(p.metadata);
    return out;
}

Json to_json(const azure::ContainerProperties& p) {
    Json out;
    out["etag"] = or_null(p.etag);
    out["last_modified"] = or_null(short_date(p.last_modified));
    out["public_access"] = or_null(p.public_access);
    out["immutability_policy"] = p.has_immutability_policy;
    out["legal_hold"] = p.has_legal_hold;
    out["lease"] = lease_json(p.lease);
    out["metadata"] = metadata_json(p.metadata);
    return out;
}

std::vector<std::string> describe(const azure::BlobProperties& p) {
    Lines lines;
    lines.add("type", p.blob_type);
    lines.add("size", std::to_string(p.content_length) +
                          (p.content_length >= 1024 ? " (" + format_bytes(p.content_length) + ")" : ""));
    lines.add("etag", p.etag);
    lines.add("last modified", short_date(p.last_modified));
    lines.add("created", short_date(p.creation_time));
    lines.add("content type", p.content.type);
    lines.add("content encoding", p.content.encoding);
    lines.add("content language", p.content.language);
    lines.add("disposition", p.content.disposition);
    lines.add("cache control", p.content.cache_control);
    lines.add("content MD5", p.content.md5);
    lines.add("tier", p.access_tier + (p.access_tier_inferred ? " (inferred)" : ""));
    lines.add("version", p.version_id);
    if (p.sealed) lines.add("sealed", "yes");
    if (p.committed_block_count) lines.add("append blocks", std::to_string(*p.committed_block_count));
    if (p.tag_count > 0) lines.add("tags", std::to_string(p.tag_count));
    lines.add(p.lease);
    lines.add(p.metadata);
    return lines.take();
}

std::vector<std::string> describe(const azure::ContainerProperties& p) {
    Lines lines;
    lines.add("etag", p.etag);
    lines.add("last modified", short_date(p.last_modified));
    lines.add("public access", p.public_access);
    if (p.has_immutability_policy) lines.add("immutability", "policy");
    if (p.has_legal_hold) lines.add("legal hold", "yes");
    lines.add(p.lease);
    lines.add(p.metadata);
    return lines.take();
}

}  // namespace azlock::cli
