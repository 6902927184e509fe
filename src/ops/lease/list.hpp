// Lists leases of blobs and containers, with their holders, from listings only.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/ordered.hpp"
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

// A listed lease, by the name of its blob or container.
struct ListedLease {
    std::string name;
    LeaseView view;
};

// The orders of --sort: "held" (the longest first, then those of which no record says it), "state", "name" (that of the
// service, empty).
inline constexpr std::array kLeaseOrders{"name", "held", "state"};
[[nodiscard]] Less<ListedLease> lease_order(std::string_view key);

// Differs after each change of the lease, also if a list of them is joined.
[[nodiscard]] std::string version_of(const ListedLease& lease);

// How many leases are in which state.
class LeaseCounts {
  public:
    void add(const LeaseView& view) { ++states_[view.lease.state]; }
    // "3 leases: 1 broken, 2 leased"
    [[nodiscard]] std::string sentence() const;

  private:
    std::map<std::string, std::uint64_t> states_;
};

// Whose leases an operator wants to see.
enum class LeasePlace {
    container,  // those of the blobs of one container
    account,    // those of the blobs of all containers; names are CONTAINER/BLOB
    containers  // those of the containers themselves
};
// What `target` (empty: none was given) and --containers mean. Error (usage): neither or both were given.
[[nodiscard]] Result<LeasePlace> lease_place(const std::string& target, bool containers);

// `where`: as in list_blob_leases(); it counts only for LeasePlace::container.
[[nodiscard]] Status list_leases(azure::BlobClient& client, LeasePlace place, const azure::BlobAddress& where,
                                 const azure::ListOptions& options, const LeaseFilter& filter,
                                 const LeaseVisitor& visit, const azure::Call& call);

}  // namespace azlock::ops
