#include "ops/lease/view.hpp"

#include "azure/names.hpp"
#include "base/http_date.hpp"

namespace azlock::ops {

std::optional<WallTime> LeaseView::since() const {
    return foreign ? foreign->since : owner.since;
}

std::optional<std::chrono::milliseconds> LeaseView::age() const {
    const auto start = since();
    if (!start || !now || *now < *start) return std::nullopt;
    return std::chrono::floor<std::chrono::milliseconds>(*now - *start);
}

std::string LeaseView::holder() const {
    const auto until = is_taken() ? now : std::nullopt;
    return foreign ? describe_foreign(*foreign, until) : describe_owner(owner, until);
}

std::string LeaseView::known_id() const {
    return foreign ? azure::canonical_lease_id(foreign->lease_id).value_or("") : "";
}

LeaseView make_lease_view(const azure::LeaseInfo& lease, const std::string& etag, const std::string& last_modified,
                          const azure::Metadata& metadata, std::optional<WallTime> now) {
    LeaseView out{lease, etag, last_modified, metadata, now, read_owner_record(metadata), {}};
    // If both records exist, azlock's own record counts: it is taken for the newer one.
    if (out.owner.empty()) out.foreign = read_foreign_record(metadata);
    return out;
}

Result<LeaseView> look_at_lease(azure::BlobClient& client, const azure::BlobAddress& target, const azure::Call& call) {
    if (target.is_container()) {
        const auto found = client.get_container_properties(target.container, {}, call);
        if (!found) return fail(found.error());
        return make_lease_view(found->lease, found->etag, found->last_modified, found->metadata, client.clock().wall());
    }
    const auto head = client.get_properties(target, {}, call);
    if (!head) return fail(head.error());
    const azure::BlobProperties& found = head->properties;
    const auto date = parse_http_date(head->date);
    return make_lease_view(found.lease, found.etag, found.last_modified, found.metadata,
                           date ? date : client.clock().wall());
}

}  // namespace azlock::ops
