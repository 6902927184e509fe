// The service's XML: listings, block lists and errors, whole and in pieces; and the block list that we write.
#include <tuple>
#include <vector>

#include "azure/responses.hpp"
#include "azure/service_error.hpp"
#include "fuzz_support.hpp"

using namespace azlock;
using namespace azlock::azure;
using namespace azlock::fuzz;

namespace {

void check_malformed(const Error& error) {
    require(error.code == ErrorCode::unavailable, "bad XML is no usable answer", error.message);
    require(error.fault == TransportFault::malformed, "and says so as data", error.message);
    require_presentable(error, {});
}

using Entry = std::tuple<std::string, std::uint64_t, bool>;

struct BlockList {
    bool good = false;
    std::vector<Entry> blocks;
};

BlockList read_blocks(std::string_view xml, std::size_t piece) {
    BlockList out;
    bool restarted = false;
    BlockListSink sink(
        [&](const Block& block) {
            require(restarted, "the restart comes first");
            out.blocks.emplace_back(block.id, block.size, block.committed);
        },
        [&] {
            restarted = true;
            out.blocks.clear();
        });
    http::Response head;
    head.status = 200;
    head.headers.set("x-ms-version", "2023-11-03");
    // Twice: a second attempt begins again, wherever the first one ended.
    for (int attempt = 0; attempt < 2; ++attempt) {
        require(sink.begin(head), "a 200 goes to the sink");
        Status fed;
        for (std::size_t at = 0; fed && at < xml.size(); at += piece) fed = sink.write(as_bytes(xml.substr(at, piece)));
        const Status done = fed ? sink.finish() : fed;
        if (!done) check_malformed(done.error());
        out.good = done.has_value();
    }
    return out;
}

void check_block_list(std::string_view xml, std::size_t piece) {
    const BlockList whole = read_blocks(xml, xml.size() + 1);
    const BlockList pieces = read_blocks(xml, piece);
    require(whole.good == pieces.good, "pieces are read like the whole");
    if (whole.good) require(whole.blocks == pieces.blocks, "and give the same blocks");
}

void check_listings(std::string_view xml) {
    if (const auto page = read_blob_page(xml); !page) check_malformed(page.error());
    if (const auto page = read_container_page(xml); !page) check_malformed(page.error());
    http::Response response;
    response.status = 409;
    response.body = xml;
    const ServiceErrorBody body = read_error_body(response);
    require(body.message.find('\n') == std::string::npos, "an error's message is its first line");
}

// Any ids that we write are read back in order.
class IdReader final : public XmlReader::Visitor {
  public:
    std::vector<std::string> ids;
    void start(std::string_view /*path*/) override {}
    void end(std::string_view path, const std::string& text, bool /*encoded*/) override {
        if (path == "BlockList/Latest") ids.push_back(text);
    }
};

void check_written(std::string_view text) {
    std::vector<BlockListEntry> entries;
    while (!text.empty()) entries.push_back({BlockSource::latest, base64_encode(as_bytes(take_line(text)))});
    const std::string xml = make_block_list_xml(entries);
    IdReader visitor;
    XmlReader reader(visitor);
    require(reader.feed(as_bytes(xml)).has_value() && reader.finish().has_value(), "we write XML", xml);
    require(visitor.ids.size() == entries.size(), "every id is written", xml);
    for (std::size_t i = 0; i < entries.size(); ++i) require(visitor.ids[i] == entries[i].id, "as it is", xml);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = as_text(data, size);
    const std::size_t piece = size == 0 ? 1 : data[size - 1] % 17 + 1;
    check_block_list(text, piece);
    check_listings(text);
    if (size < 4096) check_written(text);
    return 0;
}
