#include "ops/lease/list.hpp"

#include "base/http_date.hpp"
#include "base/quantity.hpp"
#include "ops/read/list.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kWholeAccount = "az://";

Status list_account_leases(azure::BlobClient& client, const azure::ListOptions& options, const LeaseFilter& filter,
                           const LeaseVisitor& visit, const azure::Call& call) {
    const auto take = [&](const azure::ListedContainer& container) -> Status {
        const auto labelled = [&](const std::string& name, const LeaseView& view) {
            return visit(container.name + "/" + name, view);
        };
        auto listed = list_blob_leases(client, {container.name, {}, {}}, options, filter, labelled, call);
        // A container that was deleted meanwhile has no leases.
        if (!listed && listed.error().code == ErrorCode::not_found) return {};
        return listed;
    };
    return list_containers(client, {}, false, take, call);
}

Status list_container_leases(azure::BlobClient& client, const azure::ListOptions& options, const LeaseFilter& filter,
                             const LeaseVisitor& visit, const azure::Call& call) {
    const auto take = [&](const azure::ListedContainer& container) {
        const azure::ContainerProperties& p = container.properties;
        const auto view = make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, client.clock().wall());
        return filter.wants(view) ? visit(container.name, view) : Status();
    };
    return list_containers(client, options, false, take, call);
}

}  // namespace

bool LeaseFilter::wants(const LeaseView& view) const {
    const std::string& is = view.lease.state;
    if (state.empty() ? is == "available" || is.empty() : state != "all" && state != is) return false;
    if (!older_than) return true;
    const auto age = view.age();
    return age && *age > *older_than;
}

Status list_blob_leases(azure::BlobClient& client, const azure::BlobAddress& where, const azure::ListOptions& options,
                        const LeaseFilter& filter, const LeaseVisitor& visit, const azure::Call& call) {
    const auto take = [&](const azure::ListedBlob& blob) {
        const azure::BlobProperties& p = blob.properties;
        const auto view = make_lease_view(p.lease, p.etag, p.last_modified, p.metadata, client.clock().wall());
        return filter.wants(view) ? visit(blob.name, view) : Status();
    };
    // A blob that has only staged blocks can have a lease, too. Without a delimiter there are no prefixes.
    return list_blobs(client, where, options, true, {}, take, call);
}

Less<ListedLease> lease_order(std::string_view key) {
    if (key == "held") {
        return [](const ListedLease& a, const ListedLease& b) {
            constexpr std::chrono::milliseconds kNotKnown{-1};
            return a.view.held_for().value_or(kNotKnown) > b.view.held_for().value_or(kNotKnown);
        };
    }
    if (key == "state") {
        return [](const ListedLease& a, const ListedLease& b) { return a.view.lease.state < b.view.lease.state; };
    }
    return {};
}

std::string version_of(const ListedLease& lease) {
    const auto since = lease.view.since();
    return lease.name + "\n" + lease.view.lease.state + "\n" + lease.view.lease.duration + "\n" + lease.view.etag +
           "\n" + (since ? format_iso8601(*since) : "") + "\n";
}

std::string LeaseCounts::sentence() const {
    std::uint64_t all = 0;
    std::string each;
    for (const auto& [state, count] : states_) {
        all += count;
        each += (each.empty() ? ": " : ", ") + std::to_string(count) + " " + state;
    }
    return format_count(all, "lease") + each;
}

Result<LeasePlace> lease_place(const std::string& target, bool containers) {
    if (containers && !target.empty()) {
        return fail(ErrorCode::usage, "--containers takes no TARGET", "--prefix chooses the containers");
    }
    if (containers) return LeasePlace::containers;
    if (target.empty()) return fail(ErrorCode::usage, "name a CONTAINER, az:// for all, or give --containers");
    return target == kWholeAccount ? LeasePlace::account : LeasePlace::container;
}

Status list_leases(azure::BlobClient& client, LeasePlace place, const azure::BlobAddress& where,
                   const azure::ListOptions& options, const LeaseFilter& filter, const LeaseVisitor& visit,
                   const azure::Call& call) {
    switch (place) {
        case LeasePlace::container: return list_blob_leases(client, where, options, filter, visit, call);
        case LeasePlace::account: return list_account_leases(client, options, filter, visit, call);
        case LeasePlace::containers: break;
    }
    return list_container_leases(client, options, filter, visit, call);
}

}  // namespace azlock::ops
