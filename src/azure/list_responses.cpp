// Readers of List Blobs, List Containers, Get Blob Tags and Get User Delegation Key.
#include <algorithm>

#include "azure/responses.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "http/transport_error.hpp"

namespace azlock::azure {
namespace {

Status read_document(std::string_view xml, XmlReader::Visitor& visitor) {
    if (xml.starts_with("\xEF\xBB\xBF")) xml.remove_prefix(3);
    XmlReader reader(visitor);
    if (auto ok = reader.feed(as_bytes(xml)); !ok) return ok;
    return reader.finish();
}

std::string decoded(const std::string& text, bool encoded) {
    if (!encoded) return text;
    return percent_decode(text).value_or(text);
}

// The element `field` of the properties goes to the text of this name.
void set_text(std::initializer_list<std::pair<std::string_view, std::string*>> texts, std::string_view field,
              const std::string& value) {
    for (const auto& [name, text] : texts) {
        if (field == name) *text = value;
    }
}

// A listing may give ETags without the quotes that a header has.
void quote(std::string& etag) {
    if (!etag.empty() && !etag.ends_with('"')) etag = '"' + etag + '"';
}

// What both listings have. `Page`: its result.
template <typename Page>
struct PageVisitor : XmlReader::Visitor {
    Page page;
    bool is_listing = false;
    bool bad_entry = false;
};

class BlobPageVisitor final : public PageVisitor<BlobPage> {
  public:
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
            quote(blob.properties.etag);
            blob.uncommitted_only = blob.properties.etag.empty() || blob.properties.last_modified.empty();
            bad_entry = bad_entry || blob.name.empty();
        }
        if (!path.starts_with('/')) return;  // the blob itself, or a BlobPrefix
        path.remove_prefix(1);
        if (path == "Name") blob.name = decoded(text, encoded);
        if (path == "Snapshot") blob.snapshot = text;
        if (path == "VersionId") blob.properties.version_id = text;
        if (path.starts_with("Properties/")) property(blob.properties, path.substr(11), text);
        if (path.starts_with("Metadata/")) blob.properties.metadata.emplace(path.substr(9), text);
    }

  private:
    static constexpr std::string_view kBlob = "EnumerationResults/Blobs/Blob";

    void property(BlobProperties& out, std::string_view field, const std::string& text) {
        set_text({{"LeaseStatus", &out.lease.status},
                  {"LeaseState", &out.lease.state},
                  {"LeaseDuration", &out.lease.duration},
                  {"Etag", &out.etag},
                  {"Last-Modified", &out.last_modified},
                  {"Creation-Time", &out.creation_time},
                  {"Content-Type", &out.content.type},
                  {"Content-Encoding", &out.content.encoding},
                  {"Content-Language", &out.content.language},
                  {"Content-Disposition", &out.content.disposition},
                  {"Cache-Control", &out.content.cache_control},
                  {"Content-MD5", &out.content.md5},
                  {"BlobType", &out.blob_type},
                  {"AccessTier", &out.access_tier}},
                 field, text);
        if (field == "Content-Length") out.content_length = number(text);
        if (field == "AccessTierInferred") out.access_tier_inferred = text == "true";
        if (field == "Sealed") out.sealed = text == "true";
        if (field == "TagCount") out.tag_count = number(text);
    }

    std::uint64_t number(const std::string& text) {
        const auto value = parse_u64(trim(text));
        bad_entry = bad_entry || (!value && !trim(text).empty());
        return value.value_or(0);
    }
};

class ContainerPageVisitor final : public PageVisitor<ContainerPage> {
  public:
    void start(std::string_view path) override {
        if (path == "EnumerationResults") is_listing = true;
        if (path == kContainer) page.containers.emplace_back();
    }

    void end(std::string_view path, const std::string& text, bool /*encoded*/) override {
        if (path == "EnumerationResults/NextMarker") page.next_marker = text;
        if (!path.starts_with(kContainer) || page.containers.empty()) return;
        ListedContainer& container = page.containers.back();
        path.remove_prefix(kContainer.size());
        if (path.empty()) {
            quote(container.properties.etag);
            bad_entry = bad_entry || container.name.empty();
        }
        if (!path.starts_with('/')) return;
        path.remove_prefix(1);
        if (path == "Name") container.name = text;
        if (path.starts_with("Properties/")) property(container.properties, path.substr(11), text);
        if (path.starts_with("Metadata/")) container.properties.metadata.emplace(path.substr(9), text);
    }

  private:
    static constexpr std::string_view kContainer = "EnumerationResults/Containers/Container";

    static void property(ContainerProperties& out, std::string_view field, const std::string& text) {
        set_text({{"LeaseStatus", &out.lease.status},
                  {"LeaseState", &out.lease.state},
                  {"LeaseDuration", &out.lease.duration},
                  {"Etag", &out.etag},
                  {"Last-Modified", &out.last_modified},
                  {"PublicAccess", &out.public_access}},
                 field, text);
        if (field == "HasImmutabilityPolicy") out.has_immutability_policy = text == "true";
        if (field == "HasLegalHold") out.has_legal_hold = text == "true";
    }
};

// `Visitor`: one of the two above.
template <typename Visitor>
auto read_page(std::string_view xml) -> Result<decltype(Visitor::page)> {
    Visitor visitor;
    if (auto ok = read_document(xml, visitor); !ok) return fail(ok.error());
    if (!visitor.is_listing || visitor.bad_entry) {
        return fail(http::malformed_error("the service's answer is not a listing"));
    }
    return std::move(visitor.page);
}

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
    if (!tags.is_tags) return fail(http::malformed_error("the service's answer is not a set of tags"));
    return tags.joined;
}

Result<UserKey> read_user_key(std::string_view xml) {
    struct Reader final : XmlReader::Visitor {
        UserKey key;
        std::string value;
        void start(std::string_view /*path*/) override {}
        void end(std::string_view path, const std::string& text, bool /*encoded*/) override {
            constexpr std::string_view kRoot = "UserDelegationKey/";
            if (!path.starts_with(kRoot)) return;
            set_text({{"SignedOid", &key.object_id},
                      {"SignedTid", &key.tenant},
                      {"SignedStart", &key.start},
                      {"SignedExpiry", &key.end},
                      {"SignedService", &key.service},
                      {"SignedVersion", &key.version},
                      {"Value", &value}},
                     path.substr(kRoot.size()), text);
        }
    } reader;
    if (auto ok = read_document(xml, reader); !ok) return fail(ok.error());
    UserKey& key = reader.key;
    // A line end would make other fields of what is signed.
    const auto plain = [](const std::string& text) {
        return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
    };
    const auto bytes = base64_decode(trim(reader.value));
    const auto ends = parse_iso8601(key.end);
    const std::string texts[] = {key.object_id, key.tenant, key.start, key.service, key.version};
    if (!std::all_of(std::begin(texts), std::end(texts), plain) || !ends || !bytes || bytes->empty()) {
        return fail(http::malformed_error("the service's answer is not a user delegation key"));
    }
    key.ends = *ends;
    key.key = Secret(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    return std::move(key);
}

Result<BlobPage> read_blob_page(std::string_view xml) {
    return read_page<BlobPageVisitor>(xml);
}

Result<ContainerPage> read_container_page(std::string_view xml) {
    return read_page<ContainerPageVisitor>(xml);
}

}  // namespace azlock::azure
