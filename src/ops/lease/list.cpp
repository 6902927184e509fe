#include "ops/lease/list.hpp"

namespace azlock::ops {
namespace {

template <typename Take>
Status each_container(azure::BlobClient& client, azure::ListOptions options, const azure::Call& call, Take take) {
    do {
        const auto page = client.list_containers(options, call);
        if (!page) return fail(page.error());
        for (const azure::ListedContainer& container : page->containers) {
            if (auto ok = take(container); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

}  // namespace

bool LeaseFilter::wants(const LeaseView& view) const {
    const std::string& is = view.lease.state;
    if (state.empty() ? is == "available" || is.empty() : state != "all" && state != is) return false;
    if (!older_than) return true;
    const auto age = view.held_for();
    return age && *age > *older_than;
}

Status list_blob_leases(azure::BlobClient& client, const std::string& container, azure::ListOptions options,
                        const LeaseFilter& filter, const LeaseVisitor& visit, const azure::Call& call) {
    options.include = "metadata,uncommittedblobs";
    do {
        const auto page = client.list_blobs(container, options, call);
        if (!page) return fail(page.error());
        const WallTime now = client.clock().wall();
        for (const azure::ListedBlob& blob : page->blobs) {
            const azure::BlobProperties& p = blob.properties;
            const auto view = make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, now);
            if (!filter.wants(view)) continue;
            if (auto ok = visit(blob.name, view); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

Status list_account_leases(azure::BlobClient& client, const azure::ListOptions& options, const LeaseFilter& filter,
                           const LeaseVisitor& visit, const azure::Call& call) {
    return each_container(client, {}, call, [&](const azure::ListedContainer& container) -> Status {
        const auto labelled = [&](const std::string& name, const LeaseView& view) {
            return visit(container.name + "/" + name, view);
        };
        auto listed = list_blob_leases(client, container.name, options, filter, labelled, call);
        // A container that was deleted meanwhile has no leases.
        if (!listed && listed.error().code == ErrorCode::not_found) return {};
        return listed;
    });
}

Status list_container_leases(azure::BlobClient& client, azure::ListOptions options, const LeaseFilter& filter,
                             const LeaseVisitor& visit, const azure::Call& call) {
    options.include = "metadata";
    return each_container(client, std::move(options), call, [&](const azure::ListedContainer& container) -> Status {
        const azure::ContainerProperties& p = container.properties;
        const auto view = make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, client.clock().wall());
        return filter.wants(view) ? visit(container.name, view) : Status();
    });
}

}  // namespace azlock::ops
