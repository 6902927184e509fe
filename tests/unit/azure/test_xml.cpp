// azure/xml: the events of a document that comes in any pieces, and the refusal of hostile documents.
#include "azure/xml.hpp"
#include "support/catch.hpp"

using namespace azlock;
using namespace azlock::azure;

namespace {

class Recorder final : public XmlReader::Visitor {
  public:
    void start(std::string_view path) override { events.push_back("<" + std::string(path)); }
    void end(std::string_view path, const std::string& text, bool encoded) override {
        events.push_back(">" + std::string(path) + (encoded ? "!" : "") + "=" + text);
    }
    std::vector<std::string> events;
};

struct Outcome {
    std::vector<std::string> events;
    bool ok = false;
    Error error;
};

// Reads the document in pieces that end at the given offsets.
Outcome read(std::string_view document, const std::vector<std::size_t>& cuts = {}) {
    Recorder recorder;
    XmlReader reader(recorder);
    Status status;
    std::size_t at = 0;
    for (const std::size_t cut : cuts) {
        if (status) status = reader.feed(as_bytes(document.substr(at, cut - at)));
        at = cut;
    }
    if (status) status = reader.feed(as_bytes(document.substr(at)));
    if (status) status = reader.finish();
    Outcome out{std::move(recorder.events), status.has_value(), {}};
    if (!status) out.error = status.error();
    return out;
}

void refused(std::string_view document, std::string_view why) {
    INFO(document.substr(0, 200));
    const Outcome outcome = read(document);
    REQUIRE_FALSE(outcome.ok);
    CHECK(outcome.error.code == ErrorCode::unavailable);
    CHECK(outcome.error.fault == TransportFault::malformed);
    CHECK(outcome.error.message.find(why) != std::string::npos);
}

std::string nested(std::size_t depth) {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += "<e>";
    for (std::size_t i = 0; i < depth; ++i) out += "</e>";
    return out;
}

constexpr std::string_view kDocument =
    "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- c --><R a=\"1\"><Name Encoded=\"true\">a%20b</Name>"
    "<Name Encoded=\"false\">&lt;&amp;&#x41;\xD0\xB1</Name><E/><T>one<I>two</I>three<![CDATA[<x>]]></T></R>\n";
const std::vector<std::string> kEvents{
    "<R",    "<R/Name", ">R/Name!=a%20b", "<R/Name",    ">R/Name=<&A\xD0\xB1", "<R/E",
    ">R/E=", "<R/T",    "<R/T/I",         ">R/T/I=two", ">R/T=onethree<x>",    ">R="};

}  // namespace

TEST_CASE("elements come with their path, their own text and their encoding mark") {
    const Outcome outcome = read(kDocument);
    CHECK(outcome.ok);
    CHECK(outcome.events == kEvents);
}

TEST_CASE("a document cut at any place or places gives the same events") {
    for (std::size_t cut = 0; cut <= kDocument.size(); ++cut) {
        const Outcome outcome = read(kDocument, {cut});
        INFO(cut);
        REQUIRE(outcome.ok);
        REQUIRE(outcome.events == kEvents);
    }
    std::vector<std::size_t> everywhere;
    for (std::size_t cut = 0; cut <= kDocument.size(); ++cut) everywhere.push_back(cut);
    CHECK(read(kDocument, everywhere).events == kEvents);
}

TEST_CASE("a document that ends early is refused wherever it ends") {
    const std::size_t end = kDocument.rfind('>');
    for (std::size_t length = 0; length <= end; ++length) {
        INFO(length);
        REQUIRE_FALSE(read(kDocument.substr(0, length)).ok);
    }
    CHECK(read(kDocument.substr(0, end + 1)).ok);
}

TEST_CASE("what is not XML is refused, and no event comes after the fault") {
    refused("", "not the expected XML");
    refused("hello", "not the expected XML");
    refused("{\"error\":{}}", "not the expected XML");
    refused("<html><body><p>Sign in<br></body></html>", "not the expected XML");
    refused("<a></b>", "not the expected XML");
    refused("<a/><b/>", "not the expected XML");
    refused("<a>&nbsp;</a>", "not the expected XML");
    refused("<a>\xFF</a>", "not the expected XML");
    refused(std::string_view("<a>\0</a>", 8), "not the expected XML");
    CHECK(read("<a><b/></c><d/>").events == std::vector<std::string>{"<a", "<a/b", ">a/b="});
}

TEST_CASE("a DOCTYPE is refused before any of its entities counts") {
    refused("<!DOCTYPE html><html/>", "DOCTYPE");
    refused("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "DOCTYPE");
    refused("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "DOCTYPE");
    std::string bomb = "<!DOCTYPE a [<!ENTITY e0 \"xxxxxxxxxx\">";
    for (int i = 1; i < 20; ++i) {
        bomb += "<!ENTITY e" + std::to_string(i) + " \"";
        for (int k = 0; k < 10; ++k) bomb += "&e" + std::to_string(i - 1) + ";";
        bomb += "\">";
    }
    const Outcome outcome = read(bomb + "]><a>&e19;</a>");
    CHECK_FALSE(outcome.ok);
    CHECK(outcome.events.empty());
}

TEST_CASE("depth, names and texts are bounded") {
    CHECK(read(nested(32)).ok);
    refused(nested(33), "deeply");
    refused(nested(100'000), "deeply");
    std::string empty_one = nested(32);
    empty_one.insert(32 * 3, "<x/>");  // no event for the element that is too deep
    const Outcome outcome = read(empty_one);
    CHECK_FALSE(outcome.ok);
    CHECK(outcome.events.size() == 32);
    refused("<" + std::string(2000, 'n') + "/>", "deeply");
    CHECK(read("<a>" + std::string(64 * 1024, 'x') + "</a>").ok);
    refused("<a>" + std::string(64 * 1024 + 1, 'x') + "</a>", "too long");
    refused("<a>" + std::string(5'000'000, 'x') + "</a>", "too long");
}

TEST_CASE("a tag or comment without end is not kept in memory for ever") {
    const std::string megabyte(1 << 20, 'x');
    for (const char* opening : {"<a b=\"", "<a><!--", "<"}) {
        Recorder recorder;
        XmlReader reader(recorder);
        Status status = reader.feed(as_bytes(opening));
        int fed = 0;
        while (status && fed < 64) {
            status = reader.feed(as_bytes(megabyte));
            ++fed;
        }
        INFO(opening);
        CHECK_FALSE(status);
        CHECK(fed <= 8);
    }
    // Many small elements are allowed.
    Recorder recorder;
    XmlReader reader(recorder);
    REQUIRE(reader.feed(as_bytes("<a>")));
    std::string piece;
    for (int i = 0; i < 100'000; ++i) piece += "<b>text</b>";
    for (int i = 0; i < 8; ++i) {
        REQUIRE(reader.feed(as_bytes(piece)));
        recorder.events.clear();
    }
    CHECK(reader.feed(as_bytes("</a>")));
    CHECK(reader.finish());
}

TEST_CASE("after an error every further call repeats it") {
    Recorder recorder;
    XmlReader reader(recorder);
    const auto first = reader.feed(as_bytes("<a></b>"));
    REQUIRE_FALSE(first);
    const std::size_t events = recorder.events.size();
    const auto again = reader.feed(as_bytes("<c/>"));
    REQUIRE_FALSE(again);
    CHECK(again.error().message == first.error().message);
    const auto end = reader.finish();
    REQUIRE_FALSE(end);
    CHECK(end.error().message == first.error().message);
    CHECK(recorder.events.size() == events);
}
