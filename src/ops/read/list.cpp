#include "ops/read/list.hpp"

namespace azlock::ops {
namespace {

// `fetch` gets one page, `take` gets what it holds.
template <typename Fetch, typename Take>
Status each_page(azure::ListOptions& options, Fetch fetch, Take take) {
    do {
        const auto page = fetch();
        if (!page) return fail(page.error());
        if (auto ok = take(*page); !ok) return ok;
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

template <typename Items, typename Visit>
Status each(const Items& items, const Visit& visit) {
    for (const auto& item : items) {
        if (auto ok = visit(item); !ok) return ok;
    }
    return {};
}

}  // namespace

Status list_blobs(azure::BlobClient& client, const azure::BlobAddress& where, azure::ListOptions options,
                  bool uncommitted, const PrefixVisitor& prefix, const BlobVisitor& visit, const azure::Call& call) {
    if (!where.blob.empty() && !options.prefix.empty()) {
        return fail(ErrorCode::usage, "the prefix is given twice: in the target and with --prefix");
    }
    if (options.prefix.empty()) options.prefix = where.blob;
    options.include = uncommitted ? "metadata,uncommittedblobs" : "metadata";
    return each_page(
        options, [&] { return client.list_blobs(where.container, options, call); },
        [&](const azure::BlobPage& page) {
            auto ok = each(page.prefixes, prefix);
            return ok ? each(page.blobs, visit) : ok;
        });
}

Status list_containers(azure::BlobClient& client, azure::ListOptions options, const ContainerVisitor& visit,
                       const azure::Call& call) {
    options.include = "metadata";
    return each_page(
        options, [&] { return client.list_containers(options, call); },
        [&](const azure::ContainerPage& page) { return each(page.containers, visit); });
}

}  // namespace azlock::ops
