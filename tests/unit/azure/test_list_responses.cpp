// azure/list_responses: pages of blobs and containers, tags, and the key of a login.
#include "azure/responses.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

constexpr const char* kOpen =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults ServiceEndpoint=\"https://acct.blob.test/\" "
    "ContainerName=\"box\"><Prefix>logs/</Prefix><MaxResults>3</MaxResults>";
constexpr const char* kClose = "</EnumerationResults>";

std::string page_of(const std::string& blobs, const std::string& tail = "<NextMarker />") {
    return std::string(kOpen) + "<Blobs>" + blobs + "</Blobs>" + tail + kClose;
}

BlobPage good(const std::string& xml) {
    INFO(xml);
    auto page = read_blob_page(xml);
    if (!page) FAIL(page.error().message);
    return *page;
}

constexpr const char* kFull =
    "<Blob><Name>logs/a b&amp;c.txt</Name><Snapshot>2015-06-26T23:39:12.1234567Z</Snapshot><VersionId>v1</VersionId>"
    "<Properties><Creation-Time>c</Creation-Time><Last-Modified>Fri, 26 Jun 2015 23:39:12 GMT</Last-Modified>"
    "<Etag>0x8D1234567890ABC</Etag><Content-Length>5000000000</Content-Length><Content-Type>text/plain</Content-Type>"
    "<Content-Encoding>gzip</Content-Encoding><Content-Language>de</Content-Language>"
    "<Content-Disposition>inline</Content-Disposition><Cache-Control>no-cache</Cache-Control>"
    "<Content-MD5>Pz8543xut4RVSbb2g52Mww==</Content-MD5><BlobType>BlockBlob</BlobType><AccessTier>Hot</AccessTier>"
    "<AccessTierInferred>true</AccessTierInferred><LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState>"
    "<LeaseDuration>infinite</LeaseDuration><Sealed>true</Sealed><TagCount>3</TagCount>"
    "<Something-New>x</Something-New></Properties><Metadata><owner>me</owner><empty /></Metadata></Blob>";
constexpr const char* kMinimal =
    "<Blob><Name>m</Name><Properties><Last-Modified>d</Last-Modified><Etag>e</Etag>"
    "<Content-Length>0</Content-Length></Properties></Blob>";

}  // namespace

TEST_CASE("a listed blob tells what its properties tell") {
    const BlobPage page = good(page_of(kFull));
    REQUIRE(page.blobs.size() == 1);
    CHECK(page.next_marker.empty());
    const ListedBlob& blob = page.blobs.front();
    CHECK(blob.name == "logs/a b&c.txt");
    CHECK(blob.snapshot == "2015-06-26T23:39:12.1234567Z");
    CHECK_FALSE(blob.uncommitted_only);
    const BlobProperties& p = blob.properties;
    CHECK(p.version_id == "v1");
    CHECK(p.creation_time == "c");
    CHECK(p.last_modified == "Fri, 26 Jun 2015 23:39:12 GMT");
    CHECK(p.etag == "\"0x8D1234567890ABC\"");
    CHECK(p.content_length == 5'000'000'000);
    CHECK(p.content.type == "text/plain");
    CHECK(p.content.encoding == "gzip");
    CHECK(p.content.language == "de");
    CHECK(p.content.disposition == "inline");
    CHECK(p.content.cache_control == "no-cache");
    CHECK(p.content.md5 == "Pz8543xut4RVSbb2g52Mww==");
    CHECK(p.blob_type == "BlockBlob");
    CHECK(p.access_tier == "Hot");
    CHECK(p.access_tier_inferred);
    CHECK(p.lease.status == "locked");
    CHECK(p.lease.state == "leased");
    CHECK(p.lease.duration == "infinite");
    CHECK(p.sealed);
    CHECK(p.tag_count == 3);
    CHECK(p.metadata == Metadata{{"owner", "me"}, {"empty", ""}});
}

TEST_CASE("nothing of one entry leaks into the next") {
    const BlobPage page = good(page_of(std::string(kFull) + kMinimal));
    REQUIRE(page.blobs.size() == 2);
    CHECK(page.blobs[1].name == "m");
    CHECK(page.blobs[1].snapshot.empty());
    CHECK(page.blobs[1].properties.metadata.empty());
    CHECK(page.blobs[1].properties.content.type.empty());
    CHECK_FALSE(page.blobs[1].properties.sealed);
    CHECK(good(page_of(std::string(kMinimal) + "<BlobXName>other</BlobXName>")).blobs[0].name == "m");
}

TEST_CASE("names that XML cannot hold come percent-encoded") {
    const std::string rest = "<Properties><Last-Modified>d</Last-Modified><Etag>e</Etag></Properties></Blob>";
    const BlobPage page = good(page_of("<Blob><Name Encoded=\"true\">a%20b%EF%BF%BE%2541</Name>" + rest +
                                       "<Blob><Name>a%20b</Name>" + rest + "<Blob><Name Encoded=\"false\">%41</Name>" +
                                       rest + "<BlobPrefix><Name Encoded=\"true\">p%2F</Name></BlobPrefix>"));
    REQUIRE(page.blobs.size() == 3);
    CHECK(page.blobs[0].name == "a b\xEF\xBF\xBE%41");
    CHECK(page.blobs[1].name == "a%20b");
    CHECK(page.blobs[2].name == "%41");
    CHECK(page.prefixes == std::vector<std::string>{"p/"});
}

TEST_CASE("prefixes are between the blobs and are not blobs") {
    const BlobPage page = good(page_of("<BlobPrefix><Name>logs/2024/</Name></BlobPrefix>" + std::string(kMinimal) +
                                       "<BlobPrefix><Name>logs/2025/</Name><Properties><Etag>x</Etag></Properties>"
                                       "</BlobPrefix>"));
    CHECK(page.blobs.size() == 1);
    CHECK(page.blobs[0].properties.etag == "\"e\"");
    CHECK(page.prefixes == std::vector<std::string>{"logs/2024/", "logs/2025/"});
}

TEST_CASE("blobs of staged blocks only are told from empty blobs") {
    const BlobPage page = good(
        page_of("<Blob><Name>staged</Name><Properties><Content-Length>0</Content-Length><BlobType>BlockBlob"
                "</BlobType></Properties></Blob>" +
                std::string(kMinimal) +
                "<Blob><Name>staged2</Name><Properties><Etag /><Last-Modified>d</Last-Modified></Properties></Blob>"));
    REQUIRE(page.blobs.size() == 3);
    CHECK(page.blobs[0].uncommitted_only);
    CHECK_FALSE(page.blobs[1].uncommitted_only);
    CHECK(page.blobs[2].uncommitted_only);
}

TEST_CASE("pages may be empty and still go on") {
    const BlobPage page = good(page_of("", "<NextMarker>2!76!MDAw &amp;+=</NextMarker>"));
    CHECK(page.blobs.empty());
    CHECK(page.next_marker == "2!76!MDAw &+=");
    CHECK(good("\xEF\xBB\xBF" + page_of("")).next_marker.empty());
    CHECK(good("<EnumerationResults/>").blobs.empty());
}

TEST_CASE("malformed listings of blobs") {
    const std::string whole = page_of(std::string(kFull) + kMinimal);
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        CHECK_FALSE(read_blob_page(std::string_view(whole).substr(0, length)));
    }
    for (const std::string& bad :
         {std::string(), std::string("<html/>"), std::string("<BlockList/>"), std::string("{}"),
          page_of("<Blob><Properties/></Blob>"), page_of("<Blob><Name/></Blob>"), page_of("<Blob/>"),
          page_of("<Blob><Name>a</Name><Properties><Content-Length>-5</Content-Length></Properties></Blob>"),
          page_of("<Blob><Name>a</Name><Properties><Content-Length>1x</Content-Length></Properties></Blob>")}) {
        INFO(bad);
        const auto page = read_blob_page(bad);
        REQUIRE_FALSE(page);
        CHECK(page.error().code == ErrorCode::unavailable);
        CHECK(page.error().fault == TransportFault::malformed);
    }
}

TEST_CASE("a page of containers") {
    const auto page = read_container_page(
        "<EnumerationResults><Containers><Container><Name>$web</Name><Properties><Last-Modified>d</Last-Modified>"
        "<Etag>e</Etag><LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState>"
        "<PublicAccess>container</PublicAccess><HasImmutabilityPolicy>true</HasImmutabilityPolicy>"
        "<HasLegalHold>true</HasLegalHold></Properties><Metadata><k>v</k></Metadata></Container>"
        "<Container><Name>box</Name></Container></Containers><NextMarker>/acct/c</NextMarker></EnumerationResults>");
    REQUIRE(page);
    REQUIRE(page->containers.size() == 2);
    const ListedContainer& first = page->containers[0];
    CHECK(first.name == "$web");
    CHECK(first.properties.etag == "\"e\"");
    CHECK(first.properties.last_modified == "d");
    CHECK(first.properties.lease.state == "available");
    CHECK(first.properties.public_access == "container");
    CHECK(first.properties.has_immutability_policy);
    CHECK(first.properties.has_legal_hold);
    CHECK(first.properties.metadata == Metadata{{"k", "v"}});
    CHECK(page->containers[1].name == "box");
    CHECK(page->containers[1].properties.metadata.empty());
    CHECK_FALSE(page->containers[1].properties.has_legal_hold);
    CHECK(page->next_marker == "/acct/c");
    for (const char* bad :
         {"", "<a/>", "<EnumerationResults><Containers><Container/></Containers></EnumerationResults>",
          "<EnumerationResults><Containers><Container><Name>x</Name>"}) {
        CHECK_FALSE(read_container_page(bad));
    }
    CHECK(read_container_page("<EnumerationResults><Containers><ContainerX>n</ContainerX></Containers>"
                              "</EnumerationResults>")
              ->containers.empty());
}

TEST_CASE("tags are read as the header takes them, whatever is in them") {
    const auto tags = [](const std::string& inner) {
        return read_tags("<?xml version=\"1.0\" encoding=\"utf-8\"?><Tags><TagSet>" + inner + "</TagSet></Tags>");
    };
    CHECK(tags("").value().empty());
    CHECK(
        tags("<Tag><Key>team</Key><Value>red ones</Value></Tag><Tag><Key>a&amp;b</Key><Value></Value></Tag>").value() ==
        "team=red%20ones&a%26b=");
    CHECK_FALSE(read_tags("<Error><Code>x</Code></Error>"));
    CHECK_FALSE(read_tags("<Tags><TagSet>"));
    CHECK_FALSE(read_tags(""));
}

TEST_CASE("a user delegation key is read, and one that cannot sign is refused") {
    const auto key = [](const std::string& end, const std::string& value, const std::string& object = "o") {
        return read_user_key(
            "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><UserDelegationKey><SignedOid>" + object +
            "</SignedOid><SignedTid>t</SignedTid><SignedStart>2026-01-01T00:00:00Z</SignedStart>"
            "<SignedExpiry>" +
            end +
            "</SignedExpiry><SignedService>b</SignedService><SignedVersion>2025-11-05</SignedVersion>"
            "<Value>" +
            value + "</Value><SignedDelegatedUserTid>later</SignedDelegatedUserTid></UserDelegationKey>");
    };
    const auto good = key("2023-11-14T22:13:20Z", "a2V5");
    REQUIRE(good);
    CHECK(good->object_id == "o");
    CHECK(good->tenant == "t");
    CHECK(good->start == "2026-01-01T00:00:00Z");
    CHECK(good->end == "2023-11-14T22:13:20Z");
    CHECK(good->service == "b");
    CHECK(good->version == "2025-11-05");
    CHECK(good->key.reveal() == "key");
    CHECK(good->ends == WallTime(std::chrono::seconds(1'700'000'000)));
    const std::string end = "2023-11-14T22:13:20Z";
    for (const auto& bad : {key("soon", "a2V5"), key(end, ""), key(end, "not Base64!"), key(end, "a2V5", ""),
                            key(end, "a2V5", "o\nsigned"), read_user_key("<html></html>"), read_user_key("")}) {
        REQUIRE_FALSE(bad);
        CHECK(bad.error().message.find("a2V5") == std::string::npos);
    }
}
