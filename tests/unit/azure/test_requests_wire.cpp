// azure/requests: the request of every maker on the wire, compared with the texts under tests/wire.
// AZLOCK_UPDATE_GOLDEN=1 writes these texts again; check them against the protocol before you keep them.
#include <cstdlib>
#include <fstream>

#include "azure/requests.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

const BlobAddress kBlob{"box", "dir/a b.bin", {}};
const BlobAddress kBox{"box", {}, {}};
constexpr const char* kId = "11111111-2222-3333-4444-555555555555";
constexpr const char* kOther = "99999999-8888-7777-6666-555555555555";
constexpr const char* kEtag = "\"0x8D1234567890ABC\"";
constexpr const char* kDate = "Fri, 26 Jun 2015 23:39:12 GMT";
constexpr const char* kLater = "Sat, 27 Jun 2015 23:39:12 GMT";

Endpoint path_style() {
    return {{false, "127.0.0.1", 10000}, "/devstoreaccount1", "devstoreaccount1"};
}
Endpoint host_style() {
    return default_endpoint("acct");
}

Conditions all_conditions() {
    return {kEtag, "*", kDate, kLater, kId};
}
Conditions if_match(const char* etag) {
    Conditions conditions;
    conditions.if_match = etag;
    return conditions;
}
Conditions if_none_match(const char* etag) {
    Conditions conditions;
    conditions.if_none_match = etag;
    return conditions;
}
Conditions if_unmodified_since() {
    Conditions conditions;
    conditions.if_unmodified_since = kDate;
    return conditions;
}
Conditions lease(const char* id) {
    Conditions conditions;
    conditions.lease_id = id;
    return conditions;
}

ContentHeaders all_content() {
    return {"text/plain; charset=utf-8",      "gzip",       "de-DE",
            "attachment; filename=\"a.txt\"", "max-age=60", "Pz8543xut4RVSbb2g52Mww=="};
}
const Metadata kMetadata{{"Owner", "a b"}, {"empty", ""}, {"i0", "1"}, {"i_", "2"}};
const Checksum kMd5{Checksum::Kind::md5, "Pz8543xut4RVSbb2g52Mww=="};
const Checksum kCrc64{Checksum::Kind::crc64, "DtjZpL9/o8c="};

std::shared_ptr<const http::Body> hello() {
    return http::make_body("Hello Azure!");
}

std::string_view word(Replay replay) {
    return replay == Replay::harmless ? "harmless" : replay == Replay::conditional ? "conditional" : "ambiguous";
}

std::string body_of(const http::Request& request) {
    if (!request.body) return "none";
    std::string text(request.body->size(), '\0');
    const auto n = request.body->read_at(0, std::as_writable_bytes(std::span(text)));
    REQUIRE((n && *n == text.size()));
    return std::to_string(text.size()) + " bytes: " + text;
}

std::string text_of(const Operation& op) {
    std::string out = std::string(http::to_string(op.request.method)) + " " + op.request.wire_target() + "\n";
    out += "Host: " + op.request.origin.authority() + (op.request.origin.tls ? " (https)\n" : " (http)\n");
    for (const auto& [name, value] : op.request.headers) out += name + ": " + value + "\n";
    out += "body " + body_of(op.request) + "\n";
    out += "-> " + std::string(op.name) + " of " + op.target + ", " + std::string(word(op.replay)) + ", expects " +
           std::to_string(op.expected);
    if (op.expected_download > 0) out += ", downloads " + std::to_string(op.expected_download);
    return out + "\n";
}

// The variants of one maker, compared as one file.
class Golden {
  public:
    explicit Golden(std::string name) : path_(std::string(AZLOCK_TESTS_DIR) + "/wire/" + std::move(name) + ".txt") {}
    ~Golden() = default;
    Golden(const Golden&) = delete;
    Golden& operator=(const Golden&) = delete;

    void add(const std::string& title, const Operation& op) { text_ += "# " + title + "\n" + text_of(op) + "\n"; }

    void compare() const {
        if (const char* update = std::getenv("AZLOCK_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
            std::ofstream(path_, std::ios::binary) << text_;
        }
        INFO(path_);
        CHECK(text_ == test::read_text_file(path_));
    }

  private:
    std::string path_;
    std::string text_;
};

}  // namespace

TEST_CASE("wire: Put Blob") {
    Golden golden("put_blob");
    golden.add("plain", make_put_blob(path_style(), kBlob, hello(), {}));
    golden.add("empty", make_put_blob(host_style(), kBlob, nullptr, {}));
    PutBlobOptions options;
    options.content = all_content();
    options.metadata = kMetadata;
    options.tags = "state=ready&a%20b=c";
    options.access_tier = "Cool";
    options.checksum = kMd5;
    options.conditions = all_conditions();
    golden.add("everything", make_put_blob(path_style(), kBlob, hello(), options));
    options = {};
    options.checksum = kCrc64;
    golden.add("CRC64", make_put_blob(path_style(), kBlob, hello(), options));
    options = {};
    options.blob_type = "AppendBlob";
    options.conditions = if_none_match("*");
    golden.add("an append blob, created once", make_put_blob(path_style(), kBlob, nullptr, options));
    options = {};
    options.conditions = if_match(kEtag);
    golden.add("over one version", make_put_blob(path_style(), kBlob, hello(), options));
    options.conditions = if_match("*");
    golden.add("over any version: a repeat writes twice", make_put_blob(path_style(), kBlob, hello(), options));
    options.conditions = if_none_match(kEtag);
    golden.add("over any other version: a repeat writes twice", make_put_blob(path_style(), kBlob, hello(), options));
    options.conditions = if_unmodified_since();
    golden.add("dates count seconds: a repeat may write twice", make_put_blob(path_style(), kBlob, hello(), options));
    options.conditions = lease(kId);
    golden.add("under a lease", make_put_blob(path_style(), kBlob, hello(), options));
    golden.compare();
}

TEST_CASE("wire: Put Block") {
    Golden golden("put_block");
    golden.add("plain", make_put_block(path_style(), kBlob, "MDAwMDAwMDA=", hello(), {}, {}));
    golden.add("an id with every sign of Base64, MD5, lease",
               make_put_block(host_style(), kBlob, "+/+/AA==", hello(), kMd5, kId));
    golden.add("CRC64", make_put_block(path_style(), kBlob, "MDAwMDAwMDA=", hello(), kCrc64, {}));
    golden.compare();
}

TEST_CASE("wire: Put Block List") {
    Golden golden("put_block_list");
    golden.add("no block", make_put_block_list(path_style(), kBlob, {}, {}));
    const std::vector<BlockListEntry> entries{
        {BlockSource::latest, "MDAx"}, {BlockSource::committed, "MDAy"}, {BlockSource::uncommitted, "MDA="}};
    PutBlockListOptions options;
    options.content = all_content();
    options.metadata = kMetadata;
    options.tags = "state=ready";
    options.access_tier = "Hot";
    options.conditions = all_conditions();
    golden.add("every source, everything", make_put_block_list(path_style(), kBlob, entries, options));
    options = {};
    options.conditions = if_none_match("*");
    golden.add("created once", make_put_block_list(host_style(), kBlob, {{BlockSource::latest, "MDAx"}}, options));
    options.conditions = if_match("*");
    golden.add("over any version: a repeat writes twice", make_put_block_list(path_style(), kBlob, {}, options));
    golden.compare();
}

TEST_CASE("Get Blob Tags") {
    Golden golden("get_blob_tags");
    golden.add("plain", make_get_blob_tags(path_style(), kBlob, {}));
    golden.add("lease", make_get_blob_tags(host_style(), kBlob, kId));
}

TEST_CASE("wire: Get Block List") {
    Golden golden("get_block_list");
    golden.add("all", make_get_block_list(path_style(), kBlob, BlockListType::all, {}));
    golden.add("committed, lease", make_get_block_list(path_style(), kBlob, BlockListType::committed, kId));
    golden.add("uncommitted", make_get_block_list(host_style(), kBlob, BlockListType::uncommitted, {}));
    golden.add("of a snapshot", make_get_block_list(path_style(), {"box", "a", "2015-06-26T23:39:12.1234567Z"},
                                                    BlockListType::committed, {}));
    golden.compare();
}

TEST_CASE("wire: Append Block") {
    Golden golden("append_block");
    golden.add("plain: a repeat appends twice", make_append_block(path_style(), kBlob, hello(), {}));
    AppendOptions options;
    options.append_position = 0;
    golden.add("at the beginning", make_append_block(path_style(), kBlob, hello(), options));
    options.append_position = 5'000'000'000;
    options.max_size = 6'000'000'000;
    options.checksum = kMd5;
    options.conditions = all_conditions();
    golden.add("everything", make_append_block(host_style(), kBlob, hello(), options));
    options = {};
    options.max_size = 100;
    options.checksum = kCrc64;
    golden.add("a size limit alone: a repeat appends twice", make_append_block(path_style(), kBlob, hello(), options));
    options = {};
    for (const auto& [title, conditions] : std::vector<std::pair<std::string, Conditions>>{
             {"If-Match of one version", if_match(kEtag)},
             {"If-Match of any: a repeat appends twice", if_match("*")},
             {"If-None-Match: a repeat appends twice", if_none_match("*")},
             {"dates count seconds: a repeat may append twice", if_unmodified_since()},
             {"a lease: a repeat appends twice", lease(kId)}}) {
        options.conditions = conditions;
        golden.add(title, make_append_block(path_style(), kBlob, hello(), options));
    }
    golden.compare();
}

TEST_CASE("wire: Append Blob Seal") {
    Golden golden("seal");
    golden.add("plain", make_seal(path_style(), kBlob, {}, {}));
    golden.add("at a length, everything", make_seal(host_style(), kBlob, 12, all_conditions()));
    golden.compare();
}

TEST_CASE("wire: Get Blob") {
    Golden golden("get_blob");
    golden.add("whole", make_get_blob(path_style(), kBlob, {}, {}));
    golden.add("first four MiB", make_get_blob(path_style(), kBlob, ByteRange{0, 4'194'304}, {}));
    golden.add("one byte far in, everything",
               make_get_blob(host_style(), kBlob, ByteRange{5'000'000'000, 1}, all_conditions()));
    golden.add("to the end", make_get_blob(path_style(), kBlob, ByteRange{10, {}}, if_match(kEtag)));
    golden.add("of a snapshot", make_get_blob(path_style(), {"box", "a", "2015-06-26T23:39:12.1234567Z"}, {}, {}));
    golden.compare();
}

TEST_CASE("wire: Get Blob Properties") {
    Golden golden("get_blob_properties");
    golden.add("plain", make_get_blob_properties(path_style(), kBlob, {}));
    golden.add("everything", make_get_blob_properties(host_style(), kBlob, all_conditions()));
    golden.compare();
}

TEST_CASE("wire: Set Blob Metadata") {
    Golden golden("set_blob_metadata");
    golden.add("none: clears all", make_set_blob_metadata(path_style(), kBlob, {}, {}));
    golden.add("everything", make_set_blob_metadata(host_style(), kBlob, kMetadata, all_conditions()));
    golden.compare();
}

TEST_CASE("wire: Delete Blob") {
    Golden golden("delete_blob");
    golden.add("plain", make_delete_blob(path_style(), kBlob, {}, {}));
    golden.add("snapshots too, everything", make_delete_blob(host_style(), kBlob, "include", all_conditions()));
    golden.add("If-None-Match is ignored by the service",
               make_delete_blob(path_style(), kBlob, {}, if_none_match("*")));
    golden.add("a snapshot", make_delete_blob(path_style(), {"box", "a", "2015-06-26T23:39:12.1234567Z"}, {}, {}));
    golden.compare();
}

TEST_CASE("wire: containers") {
    Golden create("create_container");
    create.add("plain", make_create_container(path_style(), "box", {}, {}));
    create.add("everything", make_create_container(host_style(), "$root", kMetadata, "blob"));
    create.compare();
    Golden remove("delete_container");
    remove.add("plain", make_delete_container(path_style(), "box", {}));
    remove.add("everything: ETag conditions are not sent",
               make_delete_container(host_style(), "box", all_conditions()));
    remove.compare();
    Golden show("get_container_properties");
    show.add("plain", make_get_container_properties(path_style(), "box", {}));
    show.add("lease", make_get_container_properties(host_style(), "box", kId));
    show.compare();
    Golden set("set_container_metadata");
    set.add("none: clears all", make_set_container_metadata(path_style(), "box", {}, {}));
    set.add("everything: only If-Modified-Since and the lease are sent",
            make_set_container_metadata(host_style(), "box", kMetadata, all_conditions()));
    set.compare();
}

TEST_CASE("wire: List Blobs and List Containers") {
    const ListOptions everything{"logs/a b&c=d+e", "/", "2!76!MDAw/+=", 5000, "metadata,uncommittedblobs"};
    Golden blobs("list_blobs");
    blobs.add("plain", make_list_blobs(path_style(), "box", {}));
    blobs.add("everything", make_list_blobs(host_style(), "box", everything));
    blobs.compare();
    Golden containers("list_containers");
    containers.add("plain", make_list_containers(path_style(), {}));
    containers.add("everything", make_list_containers(host_style(), {"b", {}, "/acct/box", 1, "metadata"}));
    containers.compare();
}

TEST_CASE("wire: Get User Delegation Key") {
    Golden golden("get_user_delegation_key");
    const WallTime start(std::chrono::seconds(1'700'000'000));
    golden.add("an hour", make_get_user_key(path_style(), start, start + std::chrono::hours(1)));
    golden.add("by the account's host", make_get_user_key(host_style(), start, start + std::chrono::days(7)));
    golden.compare();
}

TEST_CASE("wire: leases") {
    Golden acquire("acquire_lease");
    acquire.add("blob", make_acquire_lease(path_style(), kBlob, 15, kId, {}));
    acquire.add("blob, infinite, everything", make_acquire_lease(host_style(), kBlob, -1, kId, all_conditions()));
    acquire.add("blob, id of the service's: a repeat locks itself out",
                make_acquire_lease(path_style(), kBlob, 60, {}, {}));
    acquire.add("container: ETag conditions are not sent",
                make_acquire_lease(path_style(), kBox, 60, kId, all_conditions()));
    acquire.compare();
    Golden renew("renew_lease");
    renew.add("blob", make_renew_lease(path_style(), kBlob, kId, {}));
    renew.add("container", make_renew_lease(host_style(), kBox, kId, {}));
    renew.compare();
    Golden change("change_lease");
    change.add("blob", make_change_lease(path_style(), kBlob, kId, kOther, if_match(kEtag)));
    change.add("container", make_change_lease(host_style(), kBox, kId, kOther, {}));
    change.compare();
    Golden release("release_lease");
    release.add("blob", make_release_lease(path_style(), kBlob, kId, {}));
    release.add("container", make_release_lease(host_style(), kBox, kId, {}));
    release.compare();
    Golden breaking("break_lease");
    breaking.add("blob, when it runs out", make_break_lease(path_style(), kBlob, {}, {}));
    breaking.add("blob, now", make_break_lease(path_style(), kBlob, 0, {}));
    breaking.add("container, in a minute, everything", make_break_lease(host_style(), kBox, 60, all_conditions()));
    breaking.compare();
}

TEST_CASE("wire: names") {
    Golden golden("names");
    std::string segments = "0123456789abcdef";
    while (segments.size() < 1024) segments += segments;
    for (const auto& [title, name] : std::vector<std::pair<std::string, std::string>>{
             {"blanks", " a  b "},
             {"a percent sign that looks encoded", "%41%2F%"},
             {"plus", "a+b"},
             {"hash, question mark, ampersand, equals", "a#b?c&d=e"},
             {"slashes in a row and at the ends", "/a//b/"},
             {"Cyrillic", "\xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82"},
             {"emoji", "\xF0\x9F\x98\x80"},
             {"unreserved signs stay", "A-z_0.9~x"},
             {"all other printable ASCII", "!\"$'()*,:;<>@[]^`{|}"},
             {"1024 characters", segments}}) {
        golden.add(title, make_put_blob(path_style(), {"box", name, {}}, nullptr, {}));
    }
    golden.add("host-style", make_put_blob(host_style(), {"box", "a b/%41", {}}, nullptr, {}));
    golden.compare();
}

TEST_CASE("a name that holds a SAS by mistake does not show it in messages") {
    const auto op = make_get_blob(path_style(), {"https", "/acct.blob.test/c?sv=1&sig=MARKER%2B", {}}, {}, {});
    CHECK(op.target == "https//acct.blob.test/c?sv=1&sig=REDACTED");
    CHECK(op.request.loggable_target().find("MARKER") == std::string::npos);
}
