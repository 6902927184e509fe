#include "ops/lease/view.hpp"

#include "azure/names.hpp"
#include "base/http_date.hpp"
#include "base/shell_quote.hpp"

namespace azlock::ops {
namespace {

// Whoever has taken a lock for a quarantine writes its own record soon after that time, or its lease ends.
constexpr std::chrono::seconds kAfterQuarantine{60};

// The record of an earlier holder: it has a mark, or it is about a finite lease. Only the number of slots stays. The
// fence is that of the earlier holder.
void forget_earlier_holder(LeaseView& view) {
    if (!view.is_taken()) return;
    const bool infinite = view.lease.duration == "infinite";
    const bool over = record_is_over(view.metadata) || (infinite && view.owner.ttl);
    const auto quarantine = infinite ? std::nullopt : read_quarantine_mark(view.metadata);
    if (!over && !quarantine) return;
    OwnerRecord now;
    if (quarantine && !(view.now && *view.now > quarantine->until + kAfterQuarantine)) {
        now = quarantine->by;
        view.former = over ? OwnerRecord() : view.owner;
        view.quarantine_until = quarantine->until;
    }
    now.slots = view.owner.slots;
    now.unreadable = view.owner.unreadable;
    view.owner = std::move(now);
}

}  // namespace

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
    if (foreign) return describe_foreign(*foreign, until);
    const std::string who = describe_owner(owner, until);
    if (!former) return who;
    return who + ", in quarantine until " + format_iso8601(*quarantine_until) + ": the command of the former holder, " +
           describe_owner(*former, {}) + ", may still run";
}

std::string LeaseView::known_id() const {
    return foreign ? azure::canonical_lease_id(foreign->lease_id).value_or("") : "";
}

std::string LeaseView::way_out(const std::string& target) const {
    const std::string id = known_id();
    return "azlock lease " + (id.empty() ? (former ? "break --holder-is-dead " : "break ") + shell_word(target)
                                         : "release " + shell_word(target) + " --lease-id " + id);
}

LeaseView make_lease_view(const azure::LeaseInfo& lease, const std::string& etag, const std::string& last_modified,
                          const azure::Metadata& metadata, std::optional<WallTime> now) {
    LeaseView out{lease, etag, last_modified, metadata, now, read_owner_record(metadata), {}, {}, {}};
    forget_earlier_holder(out);
    // If both records exist, azlock's own record counts: it is taken for the newer one.
    if (out.owner.empty()) out.foreign = read_foreign_record(metadata);
    return out;
}

Result<LeaseView> look_at_lease(azure::BlobClient& client, const azure::BlobAddress& target, const azure::Call& call) {
    if (target.is_container()) {
        const auto found = client.get_container_properties(target.container, {}, call);
        if (!found) return fail(found.error());
        return make_lease_view(*found, client.clock().wall());
    }
    const auto head = client.get_properties(target, {}, call);
    if (!head) return fail(head.error());
    return make_lease_view(head->properties, parse_http_date(head->date).value_or(client.clock().wall()));
}

}  // namespace azlock::ops
