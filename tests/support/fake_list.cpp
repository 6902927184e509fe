// List Blobs and List Containers of the fake service.
#include <algorithm>

#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"
#include "support/fake_handlers.hpp"

namespace azlock::test::fake {
namespace {

constexpr std::string_view kMarkerHead = "2!";  // what follows is for this service only
constexpr std::size_t kMaxResults = 5000;

struct Page {
    std::string prefix;
    std::string delimiter;
    std::string marker;  // as it was sent
    std::string start;   // the first name of this page
    std::string max_results;
    std::size_t limit = kMaxResults;
    bool metadata = false;
    bool uncommitted = false;
};

std::string make_marker(const std::string& name) {
    return std::string(kMarkerHead) + base64_encode(as_bytes(name));
}

Check read_marker(const Call& call, Page& page) {
    page.marker = call.parameter("marker").value_or("");
    if (page.marker.empty()) return std::nullopt;
    const auto raw =
        base64_decode(std::string_view(page.marker).substr(std::min(kMarkerHead.size(), page.marker.size())));
    if (!page.marker.starts_with(kMarkerHead) || !raw) return bad_query("marker", page.marker);
    for (const std::byte b : *raw) page.start += static_cast<char>(b);
    return std::nullopt;
}

Check read_page(const Store& store, const Call& call, Page& page) {
    page.prefix = call.parameter("prefix").value_or("");
    page.delimiter = call.parameter("delimiter").value_or("");
    page.max_results = call.parameter("maxresults").value_or("");
    if (auto no = read_marker(call, page)) return no;
    if (!page.max_results.empty()) {
        const auto n = parse_u64(page.max_results);
        if (!n || *n == 0) return refusal(400, "OutOfRangeQueryParameterValue");
        page.limit = std::min<std::size_t>(*n, kMaxResults);
    }
    page.limit = std::min(page.limit, store.list_page_limit);
    if (store.list_starts_empty && page.marker.empty()) page.limit = 0;
    const std::string include = to_lower(call.parameter("include").value_or(""));
    for (const std::string_view word : split(include, ',')) {
        if (word == "metadata") page.metadata = true;
        if (word == "uncommittedblobs") page.uncommitted = true;
    }
    return std::nullopt;
}

std::string element(const std::string& name, const std::string& text) {
    return "<" + name + ">" + xml_escape(text) + "</" + name + ">";
}

std::string optional_element(const std::string& name, const std::string& text) {
    return text.empty() ? std::string{} : element(name, text);
}

bool is_xml_text(std::string_view utf8) {
    if (utf8.find("\xEF\xBF\xBE") != std::string_view::npos || utf8.find("\xEF\xBF\xBF") != std::string_view::npos) {
        return false;
    }
    return std::none_of(utf8.begin(), utf8.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    });
}

std::string name_element(const std::string& name) {
    if (is_xml_text(name)) return element("Name", name);
    return "<Name Encoded=\"true\">" + percent_encode(name) + "</Name>";
}

std::string metadata_element(const Metadata& metadata) {
    std::string out = "<Metadata>";
    for (const auto& [name, value] : metadata) out += element(name, value);
    return out + "</Metadata>";
}

std::string lease_elements(const Lease& lease, BootTime now) {
    const LeaseState state = lease.state(now);
    const bool locked = state == LeaseState::leased || state == LeaseState::breaking;
    return element("LeaseStatus", locked ? "locked" : "unlocked") +
           element("LeaseState", std::string(to_string(state))) +
           optional_element("LeaseDuration", lease.duration_word(now));
}

std::string blob_element(const std::string& name, const Blob& blob, const Page& page, BootTime now) {
    std::string out = "<Blob>" + name_element(name) + "<Properties>";
    if (blob.committed) {
        out += element("Creation-Time", format_http_date(blob.created)) +
               element("Last-Modified", format_http_date(blob.last_modified)) + element("Etag", blob.etag);
    }
    out += element("Content-Length", std::to_string(blob.size()));
    if (blob.committed) {
        const Properties& p = blob.properties;
        out += element("Content-Type", p.content_type.empty() ? "application/octet-stream" : p.content_type);
        out += element("Content-Encoding", p.content_encoding) + element("Content-Language", p.content_language) +
               element("Content-MD5", p.content_md5) + element("Cache-Control", p.cache_control) +
               element("Content-Disposition", p.content_disposition);
    }
    out += element("BlobType", blob.type == BlobType::block ? "BlockBlob" : "AppendBlob");
    if (blob.committed) out += element("AccessTier", blob.tier.empty() ? "Hot" : blob.tier);
    out += lease_elements(blob.lease, now) + (blob.sealed ? element("Sealed", "true") : "") +
           element("ServerEncrypted", "true") + "</Properties>";
    if (page.metadata) out += metadata_element(blob.metadata);
    return out + "<OrMetadata /></Blob>";
}

std::string container_element(const std::string& name, const Container& container, const Page& page, BootTime now) {
    std::string out = "<Container>" + name_element(name) + "<Properties>" +
                      element("Last-Modified", format_http_date(container.last_modified)) +
                      element("Etag", quoted_etag(container.etag)) + lease_elements(container.lease, now) +
                      optional_element("PublicAccess", container.public_access) + "</Properties>";
    if (page.metadata) out += metadata_element(container.metadata);
    return out + "</Container>";
}

std::string page_head(const Call& call, const Page& page) {
    std::string out = "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"" +
                      xml_escape(call.request->origin.to_string()) + "/\"";
    if (!call.container.empty()) out += " ContainerName=\"" + xml_escape(call.container) + "\"";
    return out + ">" + optional_element("Prefix", page.prefix) + optional_element("Marker", page.marker) +
           optional_element("MaxResults", page.max_results) + optional_element("Delimiter", page.delimiter);
}

Reply page_reply(std::string xml, const std::string& next) {
    Reply out(200);
    xml += next.empty() ? "<NextMarker />" : element("NextMarker", make_marker(next));
    out.body = std::move(xml) + "</EnumerationResults>";
    out.headers.set("Content-Type", "application/xml");
    return out;
}

// "a/b/" for the name "a/b/c/d" under the prefix "a/b" with the delimiter "/"; "" if no delimiter follows the prefix.
std::string common_prefix(const std::string& name, const Page& page) {
    if (page.delimiter.empty()) return {};
    const auto at = name.find(page.delimiter, page.prefix.size());
    return at == std::string::npos ? std::string{} : name.substr(0, at + page.delimiter.size());
}

}  // namespace

Reply list_blobs(Store& store, const Call& call) {
    Page page;
    if (auto no = read_page(store, call, page)) return *no;
    Container* container = store.find_container(call.container);
    if (container == nullptr) return refusal(404, "ContainerNotFound");
    if (auto no = container->lease.allows_read(call)) return *no;
    std::string xml = page_head(call, page) + "<Blobs>";
    std::string next;
    std::string group;
    std::size_t count = 0;
    for (auto at = container->blobs.lower_bound(std::max(page.start, page.prefix)); at != container->blobs.end();
         ++at) {
        const auto& [name, blob] = *at;
        if (!name.starts_with(page.prefix)) break;
        if (!blob.committed && !page.uncommitted) continue;
        const std::string shared = common_prefix(name, page);
        if (!shared.empty() && shared == group) continue;
        if (count == page.limit) {
            next = name;
            break;
        }
        group = shared;
        xml += shared.empty() ? blob_element(name, blob, page, call.now)
                              : "<BlobPrefix>" + name_element(shared) + "</BlobPrefix>";
        ++count;
    }
    return page_reply(std::move(xml) + "</Blobs>", next);
}

Reply list_containers(Store& store, const Call& call) {
    Page page;
    if (auto no = read_page(store, call, page)) return *no;
    std::string xml = page_head(call, page) + "<Containers>";
    std::string next;
    std::size_t count = 0;
    for (auto at = store.containers.lower_bound(std::max(page.start, page.prefix)); at != store.containers.end();
         ++at) {
        if (!at->first.starts_with(page.prefix)) break;
        if (count++ == page.limit) {
            next = at->first;
            break;
        }
        xml += container_element(at->first, at->second, page, call.now);
    }
    return page_reply(std::move(xml) + "</Containers>", next);
}

}  // namespace azlock::test::fake
