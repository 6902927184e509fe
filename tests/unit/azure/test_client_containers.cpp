// azure/client: containers, listings and leases against the fake service, with success and with refusals.
#include "support/catch.hpp"
#include "unit/azure/client_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using test::ClientRig;

namespace {

const BlobAddress kBlob{"box", "b", {}};
const BlobAddress kBox{"box", {}, {}};
constexpr const char* kId = "11111111-2222-3333-4444-555555555555";
constexpr const char* kOther = "99999999-8888-7777-6666-555555555555";

template <typename T>
void refused(const Result<T>& result, ErrorCode code, std::string_view service_code) {
    REQUIRE_FALSE(result);
    INFO(result.error().message);
    CHECK(result.error().code == code);
    CHECK(result.error().service_code == service_code);
    CHECK_FALSE(result.error().may_have_applied);
}

}  // namespace

TEST_CASE("client: a container is created, described, changed and deleted") {
    ClientRig rig;
    REQUIRE(rig.client.create_container("new", {{"k", "v"}}, {}, {}));
    const auto shown = rig.client.get_container_properties("new", {}, {});
    REQUIRE(shown);
    CHECK_FALSE(shown->etag.empty());
    CHECK(shown->metadata == Metadata{{"k", "v"}});
    CHECK(shown->lease.state == "available");
    REQUIRE(rig.client.set_container_metadata("new", {{"k2", "v2"}}, {}, {}));
    CHECK(rig.client.get_container_properties("new", {}, {})->metadata == Metadata{{"k2", "v2"}});
    REQUIRE(rig.client.delete_container("new", {}, {}));
    refused(rig.client.get_container_properties("new", {}, {}), ErrorCode::not_found, "ContainerNotFound");
}

TEST_CASE("client: refusals of container operations") {
    ClientRig rig;
    refused(rig.client.create_container("box", {}, {}, {}), ErrorCode::precondition, "ContainerAlreadyExists");
    refused(rig.client.delete_container("nobox", {}, {}), ErrorCode::not_found, "ContainerNotFound");
    refused(rig.client.set_container_metadata("nobox", {}, {}, {}), ErrorCode::not_found, "ContainerNotFound");
    refused(rig.client.list_blobs("nobox", {}, {}), ErrorCode::not_found, "ContainerNotFound");
    REQUIRE(rig.client.delete_container("box", {}, {}));
    const auto soon = rig.client.create_container("box", {}, {}, {});
    refused(soon, ErrorCode::unavailable, "ContainerBeingDeleted");
    CHECK(soon.error().retryable);
    CHECK(rig.service.requests("Create Container") == 2);  // the client does not wait for the end of the deletion
}

TEST_CASE("client: blobs are listed page by page, with prefixes and metadata") {
    test::FakeOptions options;
    options.list_page_limit = 2;
    options.list_starts_empty = true;
    ClientRig rig(options);
    for (const char* name : {"a/1", "a/2", "b", "c"}) rig.service.put("box", name, name);
    rig.service.stage("box", "d", "MDA=", "staged");
    PutBlobOptions put;
    put.metadata = {{"k", "v"}};
    REQUIRE(rig.client.put_blob({"box", "b", {}}, http::make_body("bb"), put, {}));

    ListOptions list;
    list.delimiter = "/";
    list.include = "metadata,uncommittedblobs";
    std::vector<std::string> names;
    Metadata metadata;
    std::size_t pages = 0;
    do {
        const auto page = rig.client.list_blobs("box", list, {});
        REQUIRE(page);
        for (const auto& prefix : page->prefixes) names.push_back("p " + prefix);
        for (const auto& blob : page->blobs) {
            names.push_back((blob.uncommitted_only ? "u " : "b ") + blob.name);
            if (blob.name == "b") metadata = blob.properties.metadata;
        }
        list.marker = page->next_marker;
    } while (!list.marker.empty() && ++pages < 10);
    CHECK(names == std::vector<std::string>{"p a/", "b b", "b c", "u d"});
    CHECK(metadata == Metadata{{"k", "v"}});
    CHECK(pages >= 2);
}

TEST_CASE("client: containers are listed") {
    ClientRig rig;
    rig.service.make_container("other");
    const auto page = rig.client.list_containers({}, {});
    REQUIRE(page);
    REQUIRE(page->containers.size() == 2);
    CHECK(page->containers[0].name == "box");
    CHECK(page->containers[1].name == "other");
    ListOptions options;
    options.prefix = "o";
    REQUIRE(rig.client.list_containers(options, {}));
    CHECK(rig.client.list_containers(options, {})->containers.size() == 1);
}

TEST_CASE("client: leases of blobs and containers live from acquire to release") {
    ClientRig rig;
    rig.service.put("box", "b", "x");
    for (const BlobAddress& target : {kBlob, kBox}) {
        INFO(target.to_string());
        const auto acquired = rig.client.acquire_lease(target, 15, kId, {}, {});
        REQUIRE(acquired);
        CHECK(acquired->lease_id == kId);
        CHECK_FALSE(acquired->etag.empty());
        REQUIRE(rig.client.acquire_lease(target, 60, kId, {}, {}));  // again, with the same id
        refused(rig.client.acquire_lease(target, 15, kOther, {}, {}), ErrorCode::busy, "LeaseAlreadyPresent");
        const auto renewed = rig.client.renew_lease(target, kId, {}, {});
        REQUIRE(renewed);
        CHECK(renewed->lease_id == kId);
        refused(rig.client.renew_lease(target, kOther, {}, {}), ErrorCode::precondition,
                "LeaseIdMismatchWithLeaseOperation");
        const auto changed = rig.client.change_lease(target, kId, kOther, {}, {});
        REQUIRE(changed);
        CHECK(changed->lease_id == kOther);
        const auto breaking = rig.client.break_lease(target, 10, {}, {});
        REQUIRE(breaking);
        CHECK(breaking->seconds_left == 10);
        CHECK(rig.client.break_lease(target, 0, {}, {})->seconds_left == 0);
        refused(rig.client.renew_lease(target, kOther, {}, {}), ErrorCode::precondition,
                "LeaseIsBrokenAndCannotBeRenewed");
        REQUIRE(rig.client.release_lease(target, kOther, {}, {}));
        refused(rig.client.release_lease(target, kOther, {}, {}), ErrorCode::precondition,
                "LeaseIdMismatchWithLeaseOperation");
        refused(rig.client.break_lease(target, {}, {}, {}), ErrorCode::precondition,
                "LeaseNotPresentWithLeaseOperation");
        refused(rig.client.change_lease(target, kId, kOther, {}, {}), ErrorCode::precondition,
                "LeaseNotPresentWithLeaseOperation");
    }
}

TEST_CASE("client: a leased blob takes writes and deletes with its id only, a leased container only deletes") {
    ClientRig rig;
    rig.service.put("box", "b", "x");
    REQUIRE(rig.client.acquire_lease(kBlob, -1, kId, {}, {}));
    REQUIRE(rig.client.acquire_lease(kBox, -1, kOther, {}, {}));
    const auto body = http::make_body("new");
    refused(rig.client.put_blob(kBlob, body, {}, {}), ErrorCode::busy, "LeaseIdMissing");
    refused(rig.client.put_block(kBlob, "MDA=", body, {}, {}, {}), ErrorCode::busy, "LeaseIdMissing");
    refused(rig.client.delete_blob(kBlob, {}, {}, {}), ErrorCode::busy, "LeaseIdMissing");
    refused(rig.client.put_block(kBlob, "MDA=", body, {}, kOther, {}), ErrorCode::busy,
            "LeaseIdMismatchWithBlobOperation");
    PutBlobOptions options;
    options.conditions.lease_id = kId;
    REQUIRE(rig.client.put_block(kBlob, "MDA=", body, {}, kId, {}));
    REQUIRE(rig.client.put_blob(kBlob, body, options, {}));
    CHECK(rig.client.get_properties(kBlob, {}, {})->properties.lease.duration == "infinite");
    refused(rig.client.delete_container("box", {}, {}), ErrorCode::busy, "LeaseIdMissing");
    Conditions with_id;
    with_id.lease_id = kOther;
    CHECK(rig.client.get_container_properties("box", kOther, {}));
    CHECK(rig.client.set_container_metadata("box", {}, with_id, {}));
    REQUIRE(rig.client.delete_container("box", with_id, {}));
}
