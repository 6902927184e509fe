#include "ops/container/container.hpp"

#include "azure/refusals.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "ops/lease/list.hpp"

namespace azlock::ops {
namespace {

Status confirm(const std::string& container, const DeleteContainer& order) {
    if (order.confirmed) return {};
    if (!order.ask) {
        return fail(ErrorCode::usage, "deleting container '" + container + "' and all blobs in it needs --yes");
    }
    const auto answer =
        order.ask("Delete container '" + container + "' and all blobs in it? Type its name to confirm: ");
    if (!answer) return fail(answer.error());
    if (*answer != container) return fail(ErrorCode::usage, "not confirmed; nothing was deleted");
    return {};
}

constexpr std::size_t kMostNamed = 3;

// The service deletes a container whatever leases its blobs have. A lease that is taken after this look is not seen.
Status must_not_be_in_use(azure::BlobClient& client, const std::string& container, const azure::Call& call) {
    std::size_t count = 0;
    std::string named;
    const auto visit = [&](const std::string& name, const LeaseView& view) -> Status {
        if (!view.is_taken() && !view.has_command()) return {};
        if (++count > kMostNamed) return {};
        named += (named.empty() ? "" : "; ") + printable(name) + ", " +
                 (view.is_taken() ? "held by " + view.holder() : "whose command may still run: " + view.holder());
        return {};
    };
    const LeaseFilter all{"all", {}};
    if (auto ok = list_blob_leases(client, {container, {}, {}}, {}, all, visit, call); !ok) {
        Error error = ok.error();
        if (error.code == ErrorCode::auth) error.hint = "--force deletes the container without a look at its blobs";
        return fail(std::move(error));
    }
    if (count == 0) return {};
    if (count > kMostNamed) named += "; and " + std::to_string(count - kMostNamed) + " more";
    return fail(ErrorCode::busy,
                "container '" + container + "' has " + format_count(count, "blob") + " in use: " + named,
                "'azlock lease list " + container + "' shows them; --force deletes the container nevertheless");
}

}  // namespace

Result<bool> create_container(azure::BlobClient& client, const std::string& container, const azure::Metadata& metadata,
                              bool if_absent, const azure::Call& call) {
    const auto created = client.create_container(container, metadata, {}, call);
    if (created) return true;
    if (if_absent && azure::is_existing_container(created.error())) return false;
    return fail(created.error());
}

Result<bool> delete_container(azure::BlobClient& client, const std::string& container, const DeleteContainer& order,
                              const azure::Call& call) {
    if (order.dry_run) {
        const auto found = client.get_container_properties(container, order.lease_id, call);
        if (!found) return fail(found.error());
    } else if (auto ok = confirm(container, order); !ok) {
        return fail(ok.error());
    }
    if (!order.force) {
        if (auto ok = must_not_be_in_use(client, container, call); !ok) return fail(ok.error());
    }
    if (order.dry_run) return false;
    azure::Conditions conditions;
    conditions.lease_id = order.lease_id;
    if (auto deleted = client.delete_container(container, conditions, call); !deleted) return fail(deleted.error());
    return true;
}

}  // namespace azlock::ops
