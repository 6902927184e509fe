// Reads the service's answers into plain values. Pure; every malformed answer is an Error, never a crash.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "azure/types.hpp"
#include "azure/user_key.hpp"
#include "azure/xml.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

namespace azlock::azure {

// From the headers of Get Blob and Get Blob Properties. With a 206, content_length is the length of the whole blob.
[[nodiscard]] Result<BlobProperties> read_blob_properties(const http::Response& response);
[[nodiscard]] ContainerProperties read_container_properties(const http::Response& response);

// Put Blob, Put Block List, Set Metadata, ...: the answer must have an ETag.
[[nodiscard]] Result<WriteResult> read_write_result(const http::Response& response);
[[nodiscard]] Result<AppendResult> read_append_result(const http::Response& response);
[[nodiscard]] Result<LeaseResult> read_lease_result(const http::Response& response);

// "bytes 0-9/100"; `total` is 100.
struct ContentRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t total = 0;
};
// nullopt if it is malformed or has another form.
[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view text);

[[nodiscard]] Result<BlobPage> read_blob_page(std::string_view xml);
[[nodiscard]] Result<ContainerPage> read_container_page(std::string_view xml);
// The answer of Get Blob Tags in the form of the header x-ms-tags: "k=v&k2=v2", percent-encoded.
[[nodiscard]] Result<std::string> read_tags(std::string_view xml);
[[nodiscard]] Result<UserKey> read_user_key(std::string_view xml);

// One entry of Get Block List, in the order of the answer.
struct Block {
    std::string_view id;  // Base64; valid during the call only
    std::uint64_t size = 0;
    bool committed = false;
};
using BlockVisitor = std::function<void(const Block&)>;

// Reads Get Block List while it arrives, so that 150,000 entries need no memory here. Set it as Request::sink, and call
// finish() after the call.
class BlockListSink final : public http::BodySink, private XmlReader::Visitor {
  public:
    // `restart` is called before the first entry of every attempt: forget the entries so far.
    BlockListSink(BlockVisitor visit, std::function<void()> restart);
    [[nodiscard]] bool begin(const http::Response& head) override;
    [[nodiscard]] Status write(ByteView data) override;
    [[nodiscard]] Status finish();

  private:
    void start(std::string_view path) override;
    void end(std::string_view path, const std::string& text, bool encoded) override;

    BlockVisitor visit_;
    std::function<void()> restart_;
    std::unique_ptr<XmlReader> reader_;
    std::string id_;
    std::optional<std::uint64_t> size_;
    bool is_block_list_ = false;
    bool bad_entry_ = false;
};

}  // namespace azlock::azure
