// azure/client: lost answers and malformed answers.
#include "support/catch.hpp"
#include "unit/azure/client_rig.hpp"
#include "unit/azure/pipeline_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using test::ClientRig;
using test::foreign_answer;
using test::service_answer;
using test::TextSink;

namespace {

const BlobAddress kBlob{"box", "b", {}};
const BlobAddress kBox{"box", {}, {}};
constexpr const char* kId = "11111111-2222-3333-4444-555555555555";

std::shared_ptr<const http::Body> body() {
    return http::make_body("Hello Azure!");
}

// A client over scripted answers.
struct ScriptRig : test::PipelineRig {
    ScriptRig() : PipelineRig(test::options_with(2)) {}
    BlobClient client{pipeline, default_endpoint("acct")};
};

// Checks that the answer was refused as malformed, and that the error says all that is known.
template <typename T>
void malformed(const Result<T>& result, std::string_view operation, bool write) {
    REQUIRE_FALSE(result);
    const Error& error = result.error();
    INFO(error.message);
    CHECK(error.code == ErrorCode::unavailable);
    CHECK(error.fault == TransportFault::malformed);
    CHECK(error.operation == operation);
    CHECK_FALSE(error.target.empty());
    CHECK(error.http_status != 0);
    CHECK(error.request_id == "req");
    CHECK(error.may_have_applied == write);
}

}  // namespace

TEST_CASE("client: create and delete of a container and release are done although the answer was lost") {
    ClientRig rig;
    rig.faults.on("Create Container").drop_reply();
    REQUIRE(rig.client.create_container("new", {}, {}, {}));
    CHECK(rig.service.requests("Create Container") == 2);
    CHECK(rig.client.get_container_properties("new", {}, {}));

    rig.faults.on("Delete Container").drop_reply();
    REQUIRE(rig.client.delete_container("new", {}, {}));
    CHECK(rig.service.requests("Delete Container") == 2);
    CHECK_FALSE(rig.client.get_container_properties("new", {}, {}));

    rig.service.put("box", "b", "x");
    for (const BlobAddress& target : {kBlob, kBox}) {
        REQUIRE(rig.client.acquire_lease(target, 60, kId, {}, {}));
        rig.faults.on(test::lease_action("release"), "release").drop_reply();
        REQUIRE(rig.client.release_lease(target, kId, {}, {}));
    }
    CHECK(rig.service.peek("box", "b")->lease_state == "available");
}

TEST_CASE("client: what the transport repeated by itself counts as a lost answer too") {
    ClientRig rig;
    rig.faults.on("Create Container").silent_replay();
    CHECK(rig.client.create_container("new", {}, {}, {}));
    rig.faults.on("Delete Container").silent_replay();
    CHECK(rig.client.delete_container("new", {}, {}));
}

TEST_CASE("client: a request that was lost before it arrived is simply sent again") {
    ClientRig rig;
    rig.faults.on("Create Container").lose_request();
    CHECK(rig.client.create_container("new", {}, {}, {}));
    rig.faults.on("Put Blob").fail_before();
    CHECK(rig.client.put_blob(kBlob, body(), {}, {}));
    CHECK(rig.service.content("box", "b") == "Hello Azure!");
}

TEST_CASE("client: a refusal without a lost answer stays a refusal") {
    ClientRig rig;
    rig.faults.on("Create Container").fail_before();
    const auto exists = rig.client.create_container("box", {}, {}, {});
    REQUIRE_FALSE(exists);
    CHECK(exists.error().service_code == "ContainerAlreadyExists");
    // After a lost answer some refusals mean "done". This one does not.
    rig.faults.on("Delete Container").lose_request();
    REQUIRE(rig.client.acquire_lease(kBox, 60, kId, {}, {}));
    const auto leased = rig.client.delete_container("box", {}, {});
    REQUIRE_FALSE(leased);
    CHECK(leased.error().service_code == "LeaseIdMissing");
    CHECK(leased.error().may_have_applied);
}

TEST_CASE("client: a lost Put Block, acquire, renew, change, break or seal is harmless") {
    ClientRig rig;
    rig.faults.on("Put Block").drop_reply();
    REQUIRE(rig.client.put_block(kBlob, "MDA=", body(), {}, {}, {}));
    CHECK(rig.service.peek("box", "b")->staged_ids == std::vector<std::string>{"MDA="});
    REQUIRE(rig.client.put_block_list(kBlob, {{BlockSource::latest, "MDA="}}, {}, {}));
    constexpr const char* kNew = "99999999-8888-7777-6666-555555555555";
    for (const char* action : {"acquire", "renew", "change", "break"}) {
        rig.faults.on(test::lease_action(action), action).drop_reply();
    }
    CHECK(rig.client.acquire_lease(kBlob, 60, kId, {}, {})->lease_id == kId);
    CHECK(rig.client.renew_lease(kBlob, kId, {}, {})->lease_id == kId);
    CHECK(rig.client.change_lease(kBlob, kId, kNew, {}, {})->lease_id == kNew);
    CHECK(rig.client.break_lease(kBlob, 0, {}, {})->seconds_left == 0);
    PutBlobOptions append;
    append.blob_type = "AppendBlob";
    REQUIRE(rig.client.put_blob({"box", "log", {}}, nullptr, append, {}));
    rig.faults.on("Append Blob Seal").drop_reply();
    CHECK(rig.client.seal({"box", "log", {}}, {}, {}, {}));
}

TEST_CASE("client: a lost append is never sent blindly, a guarded one is and its refusal is flagged") {
    ClientRig rig;
    PutBlobOptions create;
    create.blob_type = "AppendBlob";
    REQUIRE(rig.client.put_blob(kBlob, nullptr, create, {}));
    rig.faults.on("Append Block").drop_reply();
    const auto blind = rig.client.append_block(kBlob, body(), {}, {});
    REQUIRE_FALSE(blind);
    CHECK(blind.error().may_have_applied);
    CHECK(rig.service.requests("Append Block") == 1);
    rig.faults.on("Append Block").drop_reply();
    AppendOptions any;
    any.conditions.if_match = "*";
    REQUIRE_FALSE(rig.client.append_block(kBlob, body(), any, {}));
    CHECK(rig.service.requests("Append Block") == 2);
    rig.faults.on("Append Block").drop_reply();
    AppendOptions options;
    options.append_position = 24;
    const auto guarded = rig.client.append_block(kBlob, body(), options, {});
    REQUIRE_FALSE(guarded);
    CHECK(guarded.error().service_code == "AppendPositionConditionNotMet");
    CHECK(guarded.error().may_have_applied);
    CHECK(rig.service.content("box", "b")->size() == 36);
}

TEST_CASE("client: a download that breaks off starts again and the sink has it once") {
    ClientRig rig;
    rig.service.put("box", "b", "Hello Azure!");
    rig.faults.on("Get Blob").truncate(5);
    TextSink sink;
    REQUIRE(rig.client.get_blob(kBlob, {}, {}, sink, {}));
    CHECK(sink.text == "Hello Azure!");
    CHECK(rig.service.requests("Get Blob") == 2);
}

TEST_CASE("client: a block list that breaks off starts again") {
    ClientRig rig;
    for (const char* id : {"MDA=", "MDE=", "MDI="}) rig.service.stage("box", "b", id, "x");
    rig.faults.on("Get Block List").truncate(150);
    std::vector<std::string> ids;
    int restarts = 0;
    REQUIRE(rig.client.get_block_list(
        kBlob, BlockListType::all, {}, [&](const Block& block) { ids.emplace_back(block.id); },
        [&] {
            ++restarts;
            ids.clear();
        },
        {}));
    CHECK(ids == std::vector<std::string>{"MDA=", "MDE=", "MDI="});
    CHECK(restarts == 2);
}

TEST_CASE("client: a sign-in page never reaches the sink and is no listing") {
    ScriptRig rig;
    TextSink sink;
    rig.transport.answer(foreign_answer(200));
    rig.transport.answer(service_answer(200, {}, {{"ETag", "e"}, {"Content-Length", "0"}}));
    REQUIRE(rig.client.get_blob(kBlob, {}, {}, sink, {}));
    CHECK(sink.text.empty());
    CHECK(sink.begins == 1);
    for (int i = 0; i < 2; ++i) rig.transport.answer(foreign_answer(200));
    const auto page = rig.client.list_blobs("box", {}, {});
    REQUIRE_FALSE(page);
    CHECK(page.error().fault == TransportFault::malformed);
    int visits = 0;
    for (int i = 0; i < 2; ++i) rig.transport.answer(foreign_answer(200));
    const auto blocks = rig.client.get_block_list(
        kBlob, BlockListType::all, {}, [&](const Block&) { ++visits; }, [] {}, {});
    REQUIRE_FALSE(blocks);
    CHECK(blocks.error().http_status == 200);
    CHECK(blocks.error().hint.find("proxy") != std::string::npos);
}

TEST_CASE("client: another range than the one asked for never reaches the sink") {
    for (const char* range : {"bytes 0-4/12", "bytes 6-12/13", "bytes */12", ""}) {
        INFO(range);
        ScriptRig rig;
        auto other = service_answer(206, {}, {{"ETag", "e"}, {"Content-Length", "5"}, {"Content-Range", range}});
        other.body = "Hello";
        rig.transport.answer(other);
        TextSink sink;
        malformed(rig.client.get_blob(kBlob, ByteRange{6, 5}, {}, sink, {}), "Get Blob", false);
        CHECK(sink.begins == 0);
    }
    // The whole blob is not a valid answer to a request for a range, either.
    ScriptRig rig;
    for (int i = 0; i < 2; ++i) {
        rig.transport.answer(service_answer(200, {}, {{"ETag", "e"}, {"Content-Length", "12"}}));
    }
    TextSink sink;
    const auto whole = rig.client.get_blob(kBlob, ByteRange{6, 5}, {}, sink, {});
    REQUIRE_FALSE(whole);
    CHECK(whole.error().code == ErrorCode::unavailable);
    CHECK(sink.begins == 0);
}

TEST_CASE("client: success without what it must say is an error, and a write has happened") {
    ScriptRig rig;
    rig.transport.answer(service_answer(201));
    malformed(rig.client.put_blob(kBlob, body(), {}, {}), "Put Blob", true);
    rig.transport.answer(service_answer(201));
    malformed(rig.client.put_block_list(kBlob, {}, {}, {}), "Put Block List", true);
    rig.transport.answer(service_answer(201, {}, {{"ETag", "e"}}));
    malformed(rig.client.append_block(kBlob, body(), {}, {}), "Append Block", true);
    rig.transport.answer(service_answer(200, {}, {{"Content-Length", "1"}}));
    malformed(rig.client.get_properties(kBlob, {}, {}), "Get Blob Properties", false);
    for (const auto& lease : {service_answer(201), service_answer(201, {}, {{"x-ms-lease-id", ""}})}) {
        rig.transport.answer(lease);
        malformed(rig.client.acquire_lease(kBlob, 15, kId, {}, {}), "Lease Blob", true);
    }
    rig.transport.answer(service_answer(200));
    malformed(rig.client.renew_lease(kBlob, kId, {}, {}), "Lease Blob", true);
    rig.transport.answer(service_answer(200));
    malformed(rig.client.change_lease(kBox, kId, kId, {}, {}), "Lease Container", true);
    rig.transport.answer(service_answer(202));
    malformed(rig.client.break_lease(kBlob, {}, {}, {}), "Lease Blob", true);
    auto page = service_answer(200);
    page.body = "<EnumerationResults>";
    rig.transport.answer(page);
    malformed(rig.client.list_blobs("box", {}, {}), "List Blobs", false);
    rig.transport.answer(page);
    malformed(rig.client.list_containers({}, {}), "List Containers", false);
}
