#include "ops/read/list.hpp"

namespace azlock::ops {

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

}  // namespace azlock::ops
