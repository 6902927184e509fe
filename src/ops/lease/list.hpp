// Lists leases of blobs and containers, with their holders, from listings only.
#pragma once

#include <functional>
#include <string>

#include "ops/lease/view.hpp"

namespace azlock::ops {

struct LeaseFilter {
    std::string state;                                    // empty: every state except available; "all"; or one state
    std::optional<std::chrono::milliseconds> older_than;  // held for longer, as far as a record says so
    [[nodiscard]] bool wants(const LeaseView& view) const;
};

// An error ends the listing and is returned.
using LeaseVisitor = std::function<Status(const std::string& name, const LeaseView& view)>;

// The blobs of `where.container`. `options`: page size, and the prefix unless `where.blob` is one. Error (usage): both
// are given.
[[nodiscard]] Status list_blob_leases(azure::BlobClient& client, const azure::BlobAddress& where,
                                      const azure::ListOptions& options, const LeaseFilter& filter,
                                      const LeaseVisitor& visit, const azure::Call& call);
// The blobs of all containers; names are CONTAINER/BLOB. `options`: for the blobs.
[[nodiscard]] Status list_account_leases(azure::BlobClient& client, const azure::ListOptions& options,
                                         const LeaseFilter& filter, const LeaseVisitor& visit, const azure::Call& call);
// The containers themselves.
[[nodiscard]] Status list_container_leases(azure::BlobClient& client, const azure::ListOptions& options,
                                           const LeaseFilter& filter, const LeaseVisitor& visit,
                                           const azure::Call& call);

}  // namespace azlock::ops
