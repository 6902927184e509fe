// What a lease does to writes and reads, and what writes do to a lease.
#include <functional>

#include "support/catch.hpp"
#include "target.hpp"

namespace azlock::conformance {
namespace {

const std::string kA = "aaaaaaaa-1111-2222-3333-444444444444";
const std::string kB = "bbbbbbbb-1111-2222-3333-444444444444";

}  // namespace

TEST_CASE("every write on a leased blob needs the holder's id") {
    const Box box;
    const std::string data = box / "data";
    const std::string log = box / "log";
    put_blob(data, "x");
    put_append_blob(log);
    acquire(data, kA);
    acquire(log, kA);
    using Write = std::function<http::Response(const Fields&)>;
    const std::vector<std::pair<std::string, Write>> writes = {
        {"Put Blob", [&](const Fields& f) { return put_blob(data, "y", f); }},
        {"Put Block", [&](const Fields& f) { return stage(data, "MDAx", "y", f); }},
        {"Put Block List", [&](const Fields& f) { return commit(data, "", f); }},
        {"Set Blob Metadata", [&](const Fields& f) { return set_metadata(data, f); }},
        {"Set Blob Properties",
         [&](const Fields& f) {
             return service().put({.path = data, .query = {{"comp", "properties"}}, .headers = f});
         }},
        {"Append Block", [&](const Fields& f) { return append(log, "y", f); }},
        {"Delete Blob", [&](const Fields& f) { return del(data, f); }},
    };
    for (const auto& [name, write] : writes) {
        INFO(name);
        CHECK(outcome(write({})) == "412 LeaseIdMissing");
        CHECK(outcome(write({{"x-ms-lease-id", kB}})) == "412 LeaseIdMismatchWithBlobOperation");
        CHECK(write({{"x-ms-lease-id", kA}}).status < 300);
    }
}

TEST_CASE("a write keeps the lease, and a deleted and recreated blob has none") {
    const Box box;
    const std::string blob = box / "a";
    put_blob(blob, "x");
    acquire(blob, kA);
    put_blob(blob, "y", {{"x-ms-lease-id", kA}});
    CHECK(header(head(blob), "x-ms-lease-state") == "leased");
    stage(blob, "MDAx", "z", {{"x-ms-lease-id", kA}});
    commit(blob, "<Latest>MDAx</Latest>", {{"x-ms-lease-id", kA}});
    CHECK(header(head(blob), "x-ms-lease-state") == "leased");
    CHECK(outcome(del(blob, {{"x-ms-lease-id", kA}})) == "202 ");
    put_blob(blob, "x");
    CHECK(header(head(blob), "x-ms-lease-state") == "available");
    CHECK(outcome(put_blob(blob, "y", {{"x-ms-lease-id", kA}})) == "412 LeaseNotPresentWithBlobOperation");
    CHECK(outcome(lease(blob, {{"x-ms-lease-action", "renew"}, {"x-ms-lease-id", kA}})) ==
          "409 LeaseIdMismatchWithLeaseOperation");
}

TEST_CASE("in breaking the holder still writes; after that a write without id makes the blob available") {
    const Box box;
    const std::string blob = box / "a";
    put_blob(blob, "x");
    acquire(blob, kA);
    lease(blob, {{"x-ms-lease-action", "break"}, {"x-ms-lease-break-period", "4"}});
    CHECK(outcome(put_blob(blob, "y")) == "412 LeaseIdMissing");
    CHECK(outcome(put_blob(blob, "y", {{"x-ms-lease-id", kA}})) == "201 ");
    target().pass(std::chrono::milliseconds(4500));
    const auto late = outcome(put_blob(blob, "z", {{"x-ms-lease-id", kA}}));
    CHECK(one_of(late, {"412 LeaseLost", "412 LeaseNotPresentWithBlobOperation"}));
    CHECK(get(blob).body == "y");
    CHECK(outcome(put_blob(blob, "z")) == "201 ");
    CHECK(header(head(blob), "x-ms-lease-state") == "available");
}

TEST_CASE("a lease id on a read is a condition; reads without one are always allowed") {
    const Box box;
    const std::string blob = box / "a";
    put_blob(blob, "x");
    CHECK(outcome(get(blob, {{"x-ms-lease-id", kA}})) == "412 LeaseNotPresentWithBlobOperation");
    acquire(blob, kA);
    CHECK(outcome(get(blob)) == "200 ");
    CHECK(outcome(get(blob, {{"x-ms-lease-id", kA}})) == "200 ");
    CHECK(outcome(head(blob, {{"x-ms-lease-id", kB}})) == "412 LeaseIdMismatchWithBlobOperation");
    CHECK(outcome(block_list(blob)) == "200 ");
    lease(blob, {{"x-ms-lease-action", "break"}, {"x-ms-lease-break-period", "0"}});
    CHECK(outcome(get(blob, {{"x-ms-lease-id", kA}})) == "412 LeaseNotPresentWithBlobOperation");
}

TEST_CASE("a blob of staged blocks only can be leased, and the lease guards it up to and after the commit") {
    const Box box;
    const std::string blob = box / "a";
    stage(blob, "MDAx", "one");
    CHECK(outcome(acquire(blob, kA)) == "201 ");
    CHECK(outcome(stage(blob, "MDAy", "two")) == "412 LeaseIdMissing");
    CHECK(outcome(stage(blob, "MDAy", "two", {{"x-ms-lease-id", kA}})) == "201 ");
    CHECK(outcome(commit(blob, "<Latest>MDAx</Latest>")) == "412 LeaseIdMissing");
    CHECK(outcome(commit(blob, "<Latest>MDAx</Latest>", {{"x-ms-lease-id", kA}})) == "201 ");
    CHECK(header(head(blob), "x-ms-lease-state") == "leased");
}

TEST_CASE("a lease id on a blob that is not there refuses the write") {
    const Box box;
    const Fields id = {{"x-ms-lease-id", kA}};
    const auto expected = rule("412 LeaseNotPresentWithBlobOperation", "201 ", "Put-Blob, Put-Block-List");
    CHECK(outcome(put_blob(box / "a", "x", id)) == expected);
    CHECK(outcome(stage(box / "b", "MDAx", "x", id)) == expected);
    CHECK(outcome(commit(box / "c", "", id)) == expected);
}

TEST_CASE("a container lease guards only the container's deletion") {
    const Box box;
    const auto delete_with = [&](const Fields& headers) {
        return outcome(service().del({.path = box.name(), .query = {{"restype", "container"}}, .headers = headers}));
    };
    CHECK(delete_with({{"x-ms-lease-id", kA}}) == "412 LeaseNotPresentWithContainerOperation");
    acquire(box.name(), kA, "-1", true);
    CHECK(outcome(put_blob(box / "a", "x")) == "201 ");
    CHECK(outcome(del(box / "a")) == "202 ");
    const auto meta = service().put({.path = box.name(),
                                     .query = {{"restype", "container"}, {"comp", "metadata"}},
                                     .headers = {{"x-ms-meta-k", "v"}}});
    CHECK(outcome(meta) == "200 ");
    CHECK(delete_with({}) == "412 LeaseIdMissing");
    CHECK(delete_with({{"x-ms-lease-id", kB}}) == "412 LeaseIdMismatchWithContainerOperation");
    CHECK(delete_with({{"x-ms-lease-id", kA}}) == "202 ");
}

}  // namespace azlock::conformance
