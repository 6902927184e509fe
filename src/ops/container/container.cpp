#include "ops/container/container.hpp"

#include "azure/refusals.hpp"

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
        return false;
    }
    if (auto ok = confirm(container, order); !ok) return fail(ok.error());
    azure::Conditions conditions;
    conditions.lease_id = order.lease_id;
    if (auto deleted = client.delete_container(container, conditions, call); !deleted) return fail(deleted.error());
    return true;
}

}  // namespace azlock::ops
