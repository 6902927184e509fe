// Readers of List Blobs, List Containers and Get Blob Tags.
#include "azure/responses.hpp"
#include "base/text.hpp"

namespace azlock::azure {
namespace {

Status read_document(std::string_view xml, XmlReader::Visitor& visitor) {
    if (xml.starts_with("\xEF\xBB\xBF")) xml.remove_prefix(3);
    XmlReader reader(visitor);
    if (auto ok = reader.feed(as_bytes(xml)); !ok) return ok;
    return reader.finish();
}

Error not_a_listing() {
    Error error = make_error(ErrorCode::unavailable, "the service's answer is not a listing");
    error.fault = TransportFault::malformed;
    return error;
}

std::string decoded(const std::string& text, bool encoded) {
    if (!encoded) return text;
    return percent_decode(text).value_or(text);
}

bool set_lease(LeaseInfo& lease, std::string_view field, const std::string& text) {
    if (field == "LeaseStatus")
        lease.status = text;
    else if (field == "LeaseState")
        lease.state = text;
    else if (field == "LeaseDuration")
        lease.duration = text;
    else
        return false;
    return true;
}

class BlobPageVisitor final : public XmlReader::Visitor {
  public:
    BlobPage page;
    bool is_listing = false;
    bool bad_entry = false;

    void start(std::string_view path) override {
        if (path == "EnumerationResults") is_listing = true;
        if (path == kBlob) page.blobs.emplace_back();
    }

    void end(std::string_view path, const std::string& text, bool encoded) override {
        if (path == "EnumerationResults/NextMarker") page.next_marker = text;
        if (path == "EnumerationResults/Blobs/BlobPrefix/Name") page.prefixes.push_back(decoded(text, encoded));
        if (!path.starts_with(kBlob) || page.blobs.empty()) return;
        ListedBlob& blob = page.blobs.back();
        path.remove_prefix(kBlob.size());
        if (path.empty()) {
            blob.uncommitted_only = blob.properties.etag.empty() || blob.properties.last_modified.empty();
            bad_entry = bad_entry || blob.name.empty();
        }
        if (!path.starts_with('/')) return;  // the blob itself, or a BlobPrefix
        path.remove_prefix(1);
        if (path == "Name")
            blob.name = decoded(text, encoded);
        else if (path == "Snapshot")
            blob.snapshot = text;
        else if (path == "VersionId")
            blob.properties.version_id = text;
        else if (path.starts_with("Properties/"))
            property(blob.properties, path.substr(11), text);
        else if (path.starts_with("Metadata/"))
            blob.properties.metadata.emplace(path.substr(9), text);
    }

  private:
    static constexpr std::string_view kBlob = "EnumerationResults/Blobs/Blob";

    void property(BlobProperties& out, std::string_view field, const std::string& text) {
        if (set_lease(out.lease, field, text)) return;
        if (field == "Etag")
            out.etag = text;
        else if (field == "Last-Modified")
            out.last_modified = text;
        else if (field == "Creation-Time")
            out.creation_time = text;
        else if (field == "Content-Length")
            out.content_length = number(text);
        else if (field == "Content-Type")
            out.content.type = text;
        else if (field == "Content-Encoding")
            out.content.encoding = text;
        else if (field == "Content-Language")
            out.content.language = text;
        else if (field == "Content-Disposition")
            out.content.disposition = text;
        else if (field == "Cache-Control")
            out.content.cache_control = text;
        else if (field == "Content-MD5")
            out.content.md5 = text;
        else if (field == "BlobType")
            out.blob_type = text;
        else if (field == "AccessTier")
            out.access_tier = text;
        else if (field == "AccessTierInferred")
            out.access_tier_inferred = text == "true";
        else if (field == "Sealed")
            out.sealed = text == "true";
        else if (field == "TagCount")
            out.tag_count = number(text);
    }

    std::uint64_t number(const std::string& text) {
        const auto value = parse_u64(trim(text));
        bad_entry = bad_entry || (!value && !trim(text).empty());
        return value.value_or(0);
    }
};

class ContainerPageVisitor final : public XmlReader::Visitor {
  public:
    ContainerPage page;
    bool is_listing = false;
    bool bad_entry = false;

    void start(std::string_view path) override {
        if (path == "EnumerationResults") is_listing = true;
        if (path == kContainer) page.containers.emplace_back();
    }

    void end(std::string_view path, const std::string& text, bool /*encoded*/) override {
        if (path == "EnumerationResults/NextMarker") page.next_marker = text;
        if (!path.starts_with(kContainer) || page.containers.empty()) return;
        ListedContainer& container = page.containers.back();
        path.remove_prefix(kContainer.size());
        if (path.empty()) bad_entry = bad_entry || container.name.empty();
        if (!path.starts_with('/')) return;
        path.remove_prefix(1);
        if (path == "Name")
            container.name = text;
        else if (path.starts_with("Properties/"))
            property(container.properties, path.substr(11), text);
        else if (path.starts_with("Metadata/"))
            container.properties.metadata.emplace(path.substr(9), text);
    }

  private:
    static constexpr std::string_view kContainer = "EnumerationResults/Containers/Container";

    static void property(ContainerProperties& out, std::string_view field, const std::string& text) {
        if (set_lease(out.lease, field, text)) return;
        if (field == "Etag")
            out.etag = text;
        else if (field == "Last-Modified")
            out.last_modified = text;
        else if (field == "PublicAccess")
            out.public_access = text;
        else if (field == "HasImmutabilityPolicy")
            out.has_immutability_policy = text == "true";
        else if (field == "HasLegalHold")
            out.has_legal_hold = text == "true";
    }
};

}  // namespace

Result<std::string> read_tags(std::string_view xml) {
    struct Tags final : XmlReader::Visitor {
        std::string joined;
        std::string key;
        bool is_tags = false;
        void start(std::string_view path) override { is_tags = is_tags || path == "Tags"; }
        void end(std::string_view path, const std::string& text, bool /*encoded*/) override {
            if (path == "Tags/TagSet/Tag/Key") key = text;
            if (path != "Tags/TagSet/Tag/Value") return;
            if (!joined.empty()) joined += '&';
            joined += percent_encode(key) + '=' + percent_encode(text);
        }
    } tags;
    if (auto ok = read_document(xml, tags); !ok) return fail(ok.error());
    if (!tags.is_tags) {
        Error error = make_error(ErrorCode::unavailable, "the service's answer is not a set of tags");
        error.fault = TransportFault::malformed;
        return fail(std::move(error));
    }
    return tags.joined;
}

Result<BlobPage> read_blob_page(std::string_view xml) {
    BlobPageVisitor visitor;
    if (auto ok = read_document(xml, visitor); !ok) return fail(ok.error());
    if (!visitor.is_listing || visitor.bad_entry) return fail(not_a_listing());
    return std::move(visitor.page);
}

Result<ContainerPage> read_container_page(std::string_view xml) {
    ContainerPageVisitor visitor;
    if (auto ok = read_document(xml, visitor); !ok) return fail(ok.error());
    if (!visitor.is_listing || visitor.bad_entry) return fail(not_a_listing());
    return std::move(visitor.page);
}

}  // namespace azlock::azure
