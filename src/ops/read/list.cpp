#include "ops/read/list.hpp"

#include "base/http_date.hpp"

namespace azlock::ops {
namespace {

template <typename Listed>
bool later_modified(const Listed& a, const Listed& b) {
    const auto time = [](const Listed& listed) {
        return parse_http_date(listed.properties.last_modified).value_or(WallTime::min());
    };
    return time(a) > time(b);
}

}  // namespace

Status list_blobs(azure::BlobClient& client, const azure::BlobAddress& where, azure::ListOptions options,
                  bool uncommitted, const PrefixVisitor& prefix, const BlobVisitor& visit, const azure::Call& call) {
    if (!where.blob.empty() && !options.prefix.empty()) {
        return fail(ErrorCode::usage, "the prefix is given twice: in the target and with --prefix");
    }
    if (options.prefix.empty()) options.prefix = where.blob;
    options.include = uncommitted ? "metadata,uncommittedblobs" : "metadata";
    do {
        const auto page = client.list_blobs(where.container, options, call);
        if (!page) return fail(page.error());
        for (const std::string& folded : page->prefixes) {
            if (auto ok = prefix(folded); !ok) return ok;
        }
        for (const azure::ListedBlob& blob : page->blobs) {
            if (auto ok = visit(blob); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Status list_containers(azure::BlobClient& client, azure::ListOptions options, bool uncommitted,
                       const ContainerVisitor& visit, const azure::Call& call) {
    if (!options.delimiter.empty() || uncommitted) {
        return fail(ErrorCode::usage, "--delimiter and --uncommitted need a CONTAINER");
    }
    options.include = "metadata";
    do {
        const auto page = client.list_containers(options, call);
        if (!page) return fail(page.error());
        for (const azure::ListedContainer& container : page->containers) {
            if (auto ok = visit(container); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Less<azure::ListedBlob> blob_order(std::string_view key) {
    using Blob = azure::ListedBlob;
    if (key == "size") {
        return [](const Blob& a, const Blob& b) { return a.properties.content_length > b.properties.content_length; };
    }
    if (key == "modified") return later_modified<Blob>;
    return {};
}

Less<azure::ListedContainer> container_order(std::string_view key) {
    if (key == "modified") return later_modified<azure::ListedContainer>;
    return {};
}

}  // namespace azlock::ops
