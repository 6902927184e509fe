#include "ops/lease/list.hpp"

namespace azlock::ops {
namespace {

// Calls `visit` for every blob of a container, with its lease. An error of `visit` ends the listing.
Status each_blob(azure::BlobClient& client, const std::string& container, azure::ListOptions options,
                 const LeaseVisitor& visit, const azure::Call& call) {
    options.include = "metadata,uncommittedblobs";
    do {
        const auto page = client.list_blobs(container, options, call);
        if (!page) return fail(page.error());
        const WallTime now = client.clock().wall();
        for (const azure::ListedBlob& blob : page->blobs) {
            const azure::BlobProperties& p = blob.properties;
            const auto view = make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, now);
            if (auto ok = visit(blob.name, view); !ok) return ok;
        }
        options.marker = page->next_marker;
    } while (!options.marker.empty());
    return {};
}

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
    const auto wanted = [&](const std::string& name, const LeaseView& view) {
        return filter.wants(view) ? visit(name, view) : Status();
    };
    return each_blob(client, container, std::move(options), wanted, call);
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

Result<std::vector<azure::BlobAddress>> find_breakable(azure::BlobClient& client, const std::string& container,
                                                       const std::string& prefix, const BreakOptions& breaking,
                                                       const azure::Call& call) {
    std::vector<azure::BlobAddress> out;
    azure::ListOptions options;
    options.prefix = prefix;
    const auto take = [&](const std::string& name, const LeaseView& view) -> Status {
        const bool to_mark = breaking.holder_is_dead && view.lease.state == "broken";
        if ((view.is_locked() || to_mark) && !mismatch(view, breaking.conditions)) {
            out.push_back({container, name, {}});
        }
        return {};
    };
    if (auto listed = each_blob(client, container, options, take, call); !listed) return fail(listed.error());
    return out;
}

}  // namespace azlock::ops
