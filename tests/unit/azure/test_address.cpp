// azure/address: endpoints, targets, and how names get from a TARGET to the wire.
#include "azure/address.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

Target good_target(const std::string& text, const std::optional<Endpoint>& configured = {}) {
    INFO(text);
    const auto target = parse_target(text, configured);
    if (!target) FAIL(target.error().message);
    return *target;
}

const Endpoint kEmulator{{false, "127.0.0.1", 10000}, "/devstoreaccount1", "devstoreaccount1"};

// Names that must reach the service exactly.
const std::vector<std::string> kNames{"a",
                                      "a b",
                                      " a ",
                                      "%41",
                                      "a+b",
                                      "a#b",
                                      "a?b",
                                      "a&b=c",
                                      "a//b",
                                      "/a",
                                      "a/",
                                      "\xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82",
                                      "\xF0\x9F\x98\x80/x",
                                      "\"'<>|*:;,@!$()[]{}^`~",
                                      std::string(1024, 'n')};

TEST_CASE("an address says that it is a container or a snapshot, not a blob") {
    const BlobAddress blob{"box", "dir/a", {}};
    CHECK(blob.must_be_blob());
    CHECK(blob.must_not_be_snapshot("written"));
    const Status container = BlobAddress{"box", {}, {}}.must_be_blob();
    REQUIRE_FALSE(container);
    CHECK(container.error().code == ErrorCode::usage);
    CHECK(container.error().message == "'box' names no blob");
    const Status snapshot = BlobAddress{"box", "a", "2026-01-01T00:00:00.0000000Z"}.must_not_be_snapshot("written");
    REQUIRE_FALSE(snapshot);
    CHECK(snapshot.error().code == ErrorCode::usage);
    CHECK(snapshot.error().message == "a snapshot cannot be written");
}

}  // namespace

TEST_CASE("endpoints") {
    struct Case {
        const char* text;
        const char* account;
        const char* base;
        const char* shown;
    };
    for (const Case& c : {
             Case{"https://acct.blob.core.windows.net", "acct", "", "https://acct.blob.core.windows.net"},
             Case{"https://ACCT.blob.core.windows.net/", "acct", "", "https://acct.blob.core.windows.net"},
             Case{"https://acct-secondary.blob.core.windows.net", "acct", "",
                  "https://acct-secondary.blob.core.windows.net"},
             Case{"http://127.0.0.1:10000/devstoreaccount1", "devstoreaccount1", "/devstoreaccount1",
                  "http://127.0.0.1:10000/devstoreaccount1"},
             Case{"http://127.0.0.1:10000/devstoreaccount1//", "devstoreaccount1", "/devstoreaccount1",
                  "http://127.0.0.1:10000/devstoreaccount1"},
             Case{"http://127.0.0.1:10000/acct-secondary", "acct", "/acct-secondary",
                  "http://127.0.0.1:10000/acct-secondary"},
             Case{"http://[::1]:10000/acct", "acct", "/acct", "http://[::1]:10000/acct"},
             Case{"http://localhost:10000/acct", "acct", "/acct", "http://localhost:10000/acct"},
             Case{"http://azurite:10000/acct", "acct", "/acct", "http://azurite:10000/acct"},
             // A host name with dots may be path-style, too: the path of an endpoint cannot name a container.
             Case{"http://azurite.svc.local:10000/acct", "acct", "/acct", "http://azurite.svc.local:10000/acct"},
             Case{"https://acct.z01.blob.storage.azure.net", "acct", "", "https://acct.z01.blob.storage.azure.net"},
         }) {
        INFO(c.text);
        const auto endpoint = parse_endpoint(c.text);
        REQUIRE(endpoint);
        CHECK(endpoint->account == c.account);
        CHECK(endpoint->base_path == c.base);
        CHECK(endpoint->to_string() == c.shown);
    }
    for (const char* bad :
         {"", "acct", "ftp://acct.blob.test", "http://127.0.0.1:10000", "http://127.0.0.1:10000/", "http://localhost",
          "http://127.0.0.1/a/b", "https://acct.blob.test/a/b", "https://acct.blob.test?sv=1&sig=MARKER",
          "https://acct.blob.test:MARKER", "http://127.0.0.1/a%0Ab", "http://127.0.0.1/a%20b", "http://127.0.0.1/a b",
          "http://127.0.0.1/%", "http://127.0.0.1//acct"}) {
        INFO(bad);
        const auto endpoint = parse_endpoint(bad);
        REQUIRE_FALSE(endpoint);
        CHECK(endpoint.error().code == ErrorCode::config);
        CHECK(endpoint.error().message.find("MARKER") == std::string::npos);
    }
    const auto lake = parse_endpoint("https://acct.dfs.core.windows.net");
    REQUIRE_FALSE(lake);
    CHECK(lake.error().code == ErrorCode::config);
    CHECK(lake.error().hint.find("https://acct.blob.core.windows.net") != std::string::npos);
    CHECK(default_endpoint("acct").to_string() == "https://acct.blob.core.windows.net");
    CHECK(default_endpoint("acct", "core.chinacloudapi.cn", false).to_string() ==
          "http://acct.blob.core.chinacloudapi.cn");
}

TEST_CASE("plain and az:// targets take names as they are") {
    for (const std::string prefix : {"box/", "az://box/", "AZ://box/"}) {
        for (const std::string& name : kNames) {
            const Target target = good_target(prefix + name);
            CHECK(target.address.container == "box");
            CHECK(target.address.blob == name);
            CHECK_FALSE(target.endpoint);
            CHECK(target.sas.empty());
        }
    }
    for (const char* text : {"box", "az://box", "box/", "az://box/"}) {
        const Target target = good_target(text);
        CHECK(target.address.is_container());
        CHECK(target.address.container == "box");
        CHECK(target.address.to_string() == "box");
    }
    CHECK(good_target("$root/a").address.container == "$root");
}

TEST_CASE("a slash behind the container is noticed") {
    for (const char* text : {"box/", "az://box/", "https://a.b/box/"}) {
        const Status status = good_target(text).address.must_be_one_or_other();
        REQUIRE_FALSE(status);
        CHECK(status.error().code == ErrorCode::usage);
        CHECK(status.error().message == "'box/' has no blob's name behind the slash");
        CHECK(status.error().hint == "write box for the container, or box/BLOB for a blob in it");
    }
    for (const char* text : {"box", "az://box", "https://a.b/box", "box/a/", "https://a.b/box/a"}) {
        CHECK(good_target(text).address.must_be_one_or_other());
    }
}

TEST_CASE("every name goes from a URL to the address and back to the same path") {
    for (const std::string& name : kNames) {
        const BlobAddress address{"box", name, {}};
        for (const Endpoint& endpoint : {kEmulator, default_endpoint("acct")}) {
            const std::string path = path_of(endpoint, address);
            const Target target = good_target(endpoint.origin.to_string() + path);
            CHECK(target.address == address);
            REQUIRE(target.endpoint);
            CHECK(*target.endpoint == endpoint);
            CHECK(path_of(*target.endpoint, target.address) == path);
        }
    }
    CHECK(path_of(kEmulator, {"box", {}, {}}) == "/devstoreaccount1/box");
    CHECK(path_of(kEmulator, {"box", "a/../b./.c/.", {}}) == "/devstoreaccount1/box/a/%2E%2E/b./.c/%2E");
}

TEST_CASE("URLs with other spellings of the same name") {
    CHECK(good_target("https://a.b/box/x%2fy+z%C3%a9").address.blob == "x/y+z\xC3\xA9");
    CHECK(good_target("https://a.b/%62ox/c").address.container == "box");
    CHECK(good_target("https://a.b/box//c").address.blob == "/c");
    CHECK(good_target("https://a.b/box/").address.is_container());
    CHECK(good_target("https://a.b/box").address.is_container());
}

TEST_CASE("the configured endpoint decides how a URL of its origin is cut") {
    const Endpoint dotted{{false, "azurite.svc.local", 10000}, "/acct", "acct"};
    CHECK(good_target("http://azurite.svc.local:10000/acct/box/b", dotted).address == BlobAddress{"box", "b", {}});
    CHECK(good_target("http://azurite.svc.local:10000/acct/box/b", dotted).endpoint == dotted);
    const Endpoint custom{{true, "files.example.com", 443}, "", "acct"};
    CHECK(good_target("https://files.example.com/box/b", custom).endpoint == custom);
    CHECK(good_target("https://files.example.com/box/b").endpoint->account == "files");
    // Another account of the same emulator, or another origin: the URL decides.
    CHECK(good_target("http://127.0.0.1:10000/other/box/b", kEmulator).endpoint->account == "other");
    CHECK(good_target("http://127.0.0.1:10001/devstoreaccount1/box/b", kEmulator).endpoint->origin.port == 10001);
    CHECK(good_target("http://127.0.0.1:10000/devstoreaccount12/box", kEmulator).endpoint->account ==
          "devstoreaccount12");
}

TEST_CASE("a URL's SAS is kept apart, its snapshot is understood, anything else is refused") {
    const Target sas = good_target("https://acct.blob.test/box/b?sv=2023-11-03&sp=r&sig=a%2Bb%3D");
    CHECK(sas.sas.reveal() == "sv=2023-11-03&sp=r&sig=a%2Bb%3D");
    CHECK(sas.address.snapshot.empty());
    const Target both = good_target("https://acct.blob.test/box/b?snapshot=2015-06-26T23%3A39%3A12Z&sv=1&&sig=x");
    CHECK(both.address.snapshot == "2015-06-26T23:39:12Z");
    CHECK(both.sas.reveal() == "sv=1&sig=x");
    CHECK(good_target("https://acct.blob.test/box/b?snapshot=2015").address.snapshot == "2015");
    CHECK(good_target("https://acct.blob.test/box/b?").sas.empty());
    for (const char* query : {"?x=y", "?sv=1", "?comp=list&restype=container&sv=1&sig=MARKER",
                              "?versionid=1&sig=MARKER", "?snapshot=&sig=MARKER", "?snapshot=%zz", "?timeout=1"}) {
        INFO(query);
        const auto target = parse_target(std::string("https://acct.blob.test/box/b") + query);
        REQUIRE_FALSE(target);
        CHECK(target.error().code == ErrorCode::usage);
        CHECK(target.error().message.find("MARKER") == std::string::npos);
    }
}

TEST_CASE("bad targets are usage errors and show no secret") {
    for (const std::string text : {"",
                                   "/",
                                   "/b",
                                   "Box/b",
                                   "a",
                                   "az://",
                                   "az:///b",
                                   "box/..",
                                   "box/a/../b",
                                   "box/./b",
                                   "box/x\\y",
                                   "box/a\nb",
                                   "box/\xFF",
                                   "https://",
                                   "https://acct.blob.test",
                                   "https://acct.blob.test/",
                                   "https://acct.blob.test//box/b",
                                   "https://acct.blob.test/Box/b",
                                   "https://acct.blob.test/box/%",
                                   "https://acct.blob.test/box/%4",
                                   "https://acct.blob.test/box/%zz",
                                   "https://acct.blob.test/box/%00",
                                   "https://acct.blob.test/box/a%2F..%2Fb",
                                   "https://acct.blob.test/box/%2e%2E/b",
                                   "https://acct.blob.test/box/b#x",
                                   "http://127.0.0.1:10000",
                                   "http://127.0.0.1:10000/acct",
                                   "http://127.0.0.1:10000/acct/",
                                   "http://127.0.0.1:10000//box/b",
                                   "http://127.0.0.1:10000/a%0Ab/box/b",
                                   "https:/acct.blob.test/box?sig=MARKER",
                                   "https://acct.blob.test/box/b\\?sv=1&sig=MARKER",
                                   "box?sig=MARKER/b",
                                   "box/b?sig=MARKER\n"}) {
        INFO(text);
        const auto target = parse_target(text);
        REQUIRE_FALSE(target);
        CHECK(target.error().code == ErrorCode::usage);
        CHECK(target.error().message.find("MARKER") == std::string::npos);
        CHECK(target.error().hint.find("MARKER") == std::string::npos);
        CHECK(target.error().message.find('\n') == std::string::npos);
    }
    CHECK_FALSE(parse_target("box/" + std::string(1025, 'a')));
}

TEST_CASE("a target that looks like another tool's is told how to write it") {
    struct Row {
        std::string text;
        std::string hint;
    };
    for (const auto& [text, hint] :
         {Row{"/box/x", "write 'box/x', without the slash before it"}, Row{"//box/x", "write 'box/x', without"},
          Row{"azure://box/x", "write 'az://box/x'"}, Row{"az:/box/x", "write 'az://box/x'"},
          Row{"az:///box/x", "write 'az://box/x'"}, Row{"s3://box/x", "not 's3':"}, Row{"gs://box/x", "not 'gs':"},
          Row{"abfss://box@acct.dfs.core.windows.net/x", "not 'abfss':"}, Row{"./file", "looks like a local file"},
          Row{"../file", "looks like a local file"}, Row{"Box/x", "use 3 to 63 lower-case letters"},
          Row{"https://acct.dfs.core.windows.net/box/x", "https://acct.blob.core.windows.net/..."}}) {
        INFO(text);
        const auto target = parse_target(text);
        REQUIRE_FALSE(target);
        CHECK(target.error().code == ErrorCode::usage);
        CHECK(target.error().hint.find(hint) != std::string::npos);
    }
}

TEST_CASE("loopback is this machine only") {
    for (const char* host : {"127.0.0.1", "127.1.2.3", "::1", "localhost", "acct.blob.localhost"}) {
        INFO(host);
        CHECK(is_loopback({false, host, 80}));
    }
    for (const char* host : {"10.0.0.1", "128.0.0.1", "127.0.0.1.example.com", "127.example.com", "::2", "0.0.0.0",
                             "localhost.example.com", "notlocalhost", "example.com"}) {
        INFO(host);
        CHECK_FALSE(is_loopback({false, host, 80}));
    }
}
