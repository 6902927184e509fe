// azure/client: blobs, blocks and appends against the fake service, with success and with refusals.
#include "support/catch.hpp"
#include "unit/azure/client_rig.hpp"

using namespace azlock;
using namespace azlock::azure;
using test::ClientRig;
using test::TextSink;

namespace {

const BlobAddress kBlob{"box", "dir/a b+c%41.bin", {}};
const BlobAddress kNoContainer{"nobox", "b", {}};

std::shared_ptr<const http::Body> body(const char* text = "Hello Azure!") {
    return http::make_body(text);
}
Conditions if_match(std::string etag) {
    Conditions conditions;
    conditions.if_match = std::move(etag);
    return conditions;
}
Conditions if_absent() {
    Conditions conditions;
    conditions.if_none_match = "*";
    return conditions;
}

// Checks that the call was refused with this code, and that the error says what, where and why.
template <typename T>
void refused(const Result<T>& result, ErrorCode code, std::string_view service_code, std::string_view operation) {
    REQUIRE_FALSE(result);
    const Error& error = result.error();
    INFO(error.message);
    CHECK(error.code == code);
    CHECK(error.service_code == service_code);
    CHECK(error.operation == operation);
    CHECK_FALSE(error.target.empty());
    CHECK_FALSE(error.request_id.empty());
    CHECK(error.client_request_id.size() == 36);
    CHECK_FALSE(error.may_have_applied);
}

}  // namespace

TEST_CASE("client: a blob is written, read, described and deleted") {
    ClientRig rig;
    PutBlobOptions options;
    options.content = {"text/plain", "gzip", "de", "inline", "no-cache", "Pz8543xut4RVSbb2g52Mww=="};
    options.metadata = {{"Owner", "a b"}, {"empty", ""}, {"i0", "1"}, {"i_", "2"}};
    options.checksum = {Checksum::Kind::md5, "Pz8543xut4RVSbb2g52Mww=="};
    options.conditions = if_absent();
    const auto written = rig.client.put_blob(kBlob, body(), options, {});
    REQUIRE(written);
    CHECK_FALSE(written->etag.empty());
    CHECK(rig.service.content("box", kBlob.blob) == "Hello Azure!");

    const auto head = rig.client.get_properties(kBlob, {}, {});
    REQUIRE(head);
    CHECK(head->properties.etag == written->etag);
    CHECK(head->properties.content_length == 12);
    CHECK(head->properties.content.type == "text/plain");
    CHECK(head->properties.content.encoding == "gzip");
    CHECK(head->properties.content.language == "de");
    CHECK(head->properties.content.disposition == "inline");
    CHECK(head->properties.content.cache_control == "no-cache");
    CHECK(head->properties.content.md5 == options.content.md5);
    CHECK(head->properties.blob_type == "BlockBlob");
    CHECK(head->properties.metadata == options.metadata);
    CHECK_FALSE(head->date.empty());

    TextSink sink;
    const auto whole = rig.client.get_blob(kBlob, {}, if_match(written->etag), sink, {});
    REQUIRE(whole);
    CHECK(sink.text == "Hello Azure!");
    CHECK_FALSE(whole->range);
    CHECK(whole->properties.content_length == 12);
    const auto part = rig.client.get_blob(kBlob, ByteRange{6, 5}, {}, sink, {});
    REQUIRE(part);
    CHECK(sink.text == "Azure");
    REQUIRE(part->range);
    CHECK(part->range->first == 6);
    CHECK(part->range->last == 10);
    CHECK(part->properties.content_length == 12);
    REQUIRE(rig.client.get_blob(kBlob, ByteRange{6, 100}, {}, sink, {}));
    CHECK(sink.text == "Azure!");
    REQUIRE(rig.client.get_blob(kBlob, ByteRange{11, {}}, {}, sink, {}));
    CHECK(sink.text == "!");

    const auto set = rig.client.set_metadata(kBlob, {{"k", "v"}}, if_match(written->etag), {});
    REQUIRE(set);
    CHECK(set->etag != written->etag);
    const auto after = rig.client.get_properties(kBlob, {}, {});
    REQUIRE(after);
    CHECK(after->properties.metadata == Metadata{{"k", "v"}});

    REQUIRE(rig.client.delete_blob(kBlob, {}, if_match(after->properties.etag), {}));
    CHECK_FALSE(rig.service.peek("box", kBlob.blob));
}

TEST_CASE("client: refusals of blob operations") {
    ClientRig rig;
    rig.service.put("box", kBlob.blob, "old");
    const Conditions other = if_match("\"0x1\"");
    PutBlobOptions put;
    put.conditions = if_absent();
    refused(rig.client.put_blob(kBlob, body(), put, {}), ErrorCode::precondition, "BlobAlreadyExists", "Put Blob");
    put.conditions = other;
    refused(rig.client.put_blob(kBlob, body(), put, {}), ErrorCode::precondition, "ConditionNotMet", "Put Blob");
    put = {};
    put.checksum = {Checksum::Kind::md5, "1B2M2Y8AsgTpgAmY7PhCfg=="};
    refused(rig.client.put_blob(kBlob, body(), put, {}), ErrorCode::data, "Md5Mismatch", "Put Blob");
    refused(rig.client.put_blob(kNoContainer, body(), {}, {}), ErrorCode::not_found, "ContainerNotFound", "Put Blob");

    TextSink sink;
    const BlobAddress missing{"box", "missing", {}};
    refused(rig.client.get_blob(missing, {}, {}, sink, {}), ErrorCode::not_found, "BlobNotFound", "Get Blob");
    refused(rig.client.get_blob(kBlob, ByteRange{3, 1}, {}, sink, {}), ErrorCode::usage, "InvalidRange", "Get Blob");
    refused(rig.client.get_blob(kBlob, {}, other, sink, {}), ErrorCode::precondition, "ConditionNotMet", "Get Blob");
    CHECK(sink.begins == 0);  // the text of an error does not go to the sink
    const std::string etag = rig.client.get_properties(kBlob, {}, {})->properties.etag;
    Conditions unchanged;
    unchanged.if_none_match = etag;
    refused(rig.client.get_properties(kBlob, unchanged, {}), ErrorCode::not_modified, "ConditionNotMet",
            "Get Blob Properties");
    refused(rig.client.get_properties(missing, {}, {}), ErrorCode::not_found, "BlobNotFound", "Get Blob Properties");
    refused(rig.client.set_metadata(kBlob, {}, other, {}), ErrorCode::precondition, "ConditionNotMet",
            "Set Blob Metadata");
    refused(rig.client.delete_blob(kBlob, {}, other, {}), ErrorCode::precondition, "ConditionNotMet", "Delete Blob");
    refused(rig.client.delete_blob(missing, {}, {}, {}), ErrorCode::not_found, "BlobNotFound", "Delete Blob");
    CHECK(rig.service.content("box", kBlob.blob) == "old");
}

TEST_CASE("client: blocks are staged, listed and committed") {
    ClientRig rig;
    REQUIRE(rig.client.put_block(kBlob, "+/8=", body("one"), {}, {}, {}));
    REQUIRE(rig.client.put_block(kBlob, "MDI=", body("two"), {}, {}, {}));
    const auto committed =
        rig.client.put_block_list(kBlob, {{BlockSource::latest, "MDI="}, {BlockSource::uncommitted, "+/8="}}, {}, {});
    REQUIRE(committed);
    CHECK(rig.service.content("box", kBlob.blob) == "twoone");
    REQUIRE(rig.client.put_block(kBlob, "MDM=", body("three"), {}, {}, {}));

    std::vector<std::string> seen;
    int restarts = 0;
    const auto visit = [&](const Block& block) {
        seen.push_back((block.committed ? "C " : "U ") + std::string(block.id) + " " + std::to_string(block.size));
    };
    const auto restart = [&] {
        ++restarts;
        seen.clear();
    };
    REQUIRE(rig.client.get_block_list(kBlob, BlockListType::all, {}, visit, restart, {}));
    CHECK(seen == std::vector<std::string>{"C MDI= 3", "C +/8= 3", "U MDM= 5"});
    CHECK(restarts == 1);
    REQUIRE(rig.client.get_block_list(kBlob, BlockListType::uncommitted, {}, visit, restart, {}));
    CHECK(seen == std::vector<std::string>{"U MDM= 5"});

    PutBlockListOptions again;
    again.conditions = if_match(committed->etag);
    again.metadata = {{"k", "v"}};
    REQUIRE(
        rig.client.put_block_list(kBlob, {{BlockSource::committed, "+/8="}, {BlockSource::latest, "MDM="}}, again, {}));
    CHECK(rig.service.content("box", kBlob.blob) == "onethree");
    CHECK(rig.service.peek("box", kBlob.blob)->metadata == Metadata{{"k", "v"}});
}

TEST_CASE("client: refusals of block operations") {
    ClientRig rig;
    refused(rig.client.put_block(kNoContainer, "MDA=", body(), {}, {}, {}), ErrorCode::not_found, "ContainerNotFound",
            "Put Block");
    REQUIRE(rig.client.put_block(kBlob, "MDA=", body(), {}, {}, {}));
    refused(rig.client.put_block(kBlob, "MDAwMDAw", body(), {}, {}, {}), ErrorCode::precondition, "InvalidBlobOrBlock",
            "Put Block");
    refused(rig.client.put_block(kBlob, "MDE=", body(), {Checksum::Kind::crc64, "AAAAAAAAAAA="}, {}, {}),
            ErrorCode::data, "Crc64Mismatch", "Put Block");
    refused(rig.client.put_block_list(kBlob, {{BlockSource::latest, "MDk="}}, {}, {}), ErrorCode::precondition,
            "InvalidBlockList", "Put Block List");
    PutBlockListOptions options;
    options.conditions = if_match("\"0x1\"");
    refused(rig.client.put_block_list(kBlob, {}, options, {}), ErrorCode::precondition, "ConditionNotMet",
            "Put Block List");
    int visits = 0;
    refused(rig.client.get_block_list(
                {"box", "missing", {}}, BlockListType::all, {}, [&](const Block&) { ++visits; }, [] {}, {}),
            ErrorCode::not_found, "BlobNotFound", "Get Block List");
    CHECK(visits == 0);
}

TEST_CASE("client: appends land where they say, and an append blob is sealed") {
    ClientRig rig;
    PutBlobOptions create;
    create.blob_type = "AppendBlob";
    create.conditions = if_absent();
    REQUIRE(rig.client.put_blob(kBlob, nullptr, create, {}));
    AppendOptions options;
    options.append_position = 0;
    const auto first = rig.client.append_block(kBlob, body("one"), options, {});
    REQUIRE(first);
    CHECK(first->offset == 0);
    CHECK(first->committed_blocks == 1);
    const auto second = rig.client.append_block(kBlob, body("two"), {}, {});
    REQUIRE(second);
    CHECK(second->offset == 3);
    CHECK(second->etag != first->etag);
    refused(rig.client.append_block(kBlob, body("x"), options, {}), ErrorCode::precondition,
            "AppendPositionConditionNotMet", "Append Block");
    options = {};
    options.max_size = 8;
    refused(rig.client.append_block(kBlob, body("long"), options, {}), ErrorCode::precondition,
            "MaxBlobSizeConditionNotMet", "Append Block");
    refused(rig.client.seal(kBlob, 5, {}, {}), ErrorCode::precondition, "AppendPositionConditionNotMet",
            "Append Blob Seal");
    REQUIRE(rig.client.seal(kBlob, 6, {}, {}));
    REQUIRE(rig.client.seal(kBlob, {}, {}, {}));
    refused(rig.client.append_block(kBlob, body("x"), {}, {}), ErrorCode::precondition, "BlobIsSealed", "Append Block");
    CHECK(rig.client.get_properties(kBlob, {}, {})->properties.sealed);
    CHECK(rig.service.content("box", kBlob.blob) == "onetwo");
}

TEST_CASE("client: names reach the service and come back from a listing exactly") {
    ClientRig rig;
    for (const std::string name :
         {"a b", "%41", "a+b", "a#b?c&d", "a//b", "/a/", "\xD0\xBF\xD1\x80", "\xF0\x9F\x98\x80"}) {
        INFO(name);
        REQUIRE(rig.client.put_blob({"box", name, {}}, body(name.c_str()), {}, {}));
        CHECK(rig.service.content("box", name) == name);
        ListOptions options;
        options.prefix = name;
        const auto page = rig.client.list_blobs("box", options, {});
        REQUIRE(page);
        REQUIRE(page->blobs.size() == 1);
        CHECK(page->blobs[0].name == name);
    }
}
