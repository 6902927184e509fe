// Container operations of the fake service, except the listings.
#include "base/text.hpp"
#include "support/fake_handlers.hpp"

namespace azlock::test::fake {
namespace {

Reply versioned(int status, const Container& container) {
    Reply out(status);
    write_version(container.etag, container.last_modified, out.headers);
    return out;
}

void touch_container(Store& store, Container& container, WallTime wall) {
    container.etag = store.next_etag(wall);
    container.last_modified = wall;
}

}  // namespace

Reply create_container(Store& store, const Call& call) {
    Container fresh;
    if (auto no = read_metadata(call, store.limits, fresh.metadata)) return *no;
    const std::string access = to_lower(call.header("x-ms-blob-public-access"));
    if (!access.empty() && access != "blob" && access != "container") {
        return bad_header("x-ms-blob-public-access", access);
    }
    if (store.find_container(call.container) != nullptr) return refusal(409, "ContainerAlreadyExists");
    const auto gone = store.deleted.find(call.container);
    if (gone != store.deleted.end() && call.now < gone->second) return refusal(409, "ContainerBeingDeleted");
    store.deleted.erase(call.container);
    fresh.public_access = access;
    touch_container(store, fresh, call.wall);
    return versioned(201, store.containers[call.container] = std::move(fresh));
}

Reply delete_container(Store& store, const Call& call) {
    const Container* container = store.find_container(call.container);
    if (container == nullptr) return refusal(404, "ContainerNotFound");
    if (auto no = container->lease.allows_write(call)) return *no;
    if (auto no = check_container(call, container->last_modified, true)) return *no;
    store.containers.erase(call.container);
    store.deleted[call.container] = call.now + store.container_deletion;
    return Reply(202);
}

Reply get_container(Store& store, const Call& call) {
    const Container* container = store.find_container(call.container);
    if (container == nullptr) return refusal(404, "ContainerNotFound");
    if (auto no = container->lease.allows_read(call)) return *no;
    Reply out = versioned(200, *container);
    write_metadata(container->metadata, out.headers);
    if (call.operation == "Get Container Metadata") return out;
    container->lease.describe(call.now, out.headers);
    out.headers.set("x-ms-has-immutability-policy", "false");
    out.headers.set("x-ms-has-legal-hold", "false");
    if (!container->public_access.empty()) out.headers.set("x-ms-blob-public-access", container->public_access);
    return out;
}

Reply set_container_metadata(Store& store, const Call& call) {
    Metadata fresh;
    if (auto no = read_metadata(call, store.limits, fresh)) return *no;
    Container* container = store.find_container(call.container);
    if (container == nullptr) return refusal(404, "ContainerNotFound");
    if (auto no = container->lease.allows_read(call)) return *no;  // only Delete needs the id
    if (auto no = check_container(call, container->last_modified, false)) return *no;
    container->metadata = std::move(fresh);
    touch_container(store, *container, call.wall);
    return versioned(200, *container);
}

Reply lease_container(Store& store, const Call& call) {
    Container* container = store.find_container(call.container);
    if (container == nullptr) return refusal(404, "ContainerNotFound");
    if (auto no = check_container(call, container->last_modified, true)) return *no;
    Reply out = container->lease.act(call);
    if (!out.refused) write_version(container->etag, container->last_modified, out.headers);
    return out;
}

}  // namespace azlock::test::fake
