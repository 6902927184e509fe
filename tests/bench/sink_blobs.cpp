#include "bench/sink_blobs.hpp"

#include "base/clock.hpp"
#include "base/encoding.hpp"
#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::bench {
namespace {

using Query = std::map<std::string, std::string>;

std::string path_of(const test::WireRequest& request) {
    return request.target.substr(0, request.target.find('?'));
}

Query query_of(const test::WireRequest& request) {
    Query query;
    const std::size_t mark = request.target.find('?');
    if (mark == std::string::npos) return query;
    for (const std::string_view pair : split(std::string_view(request.target).substr(mark + 1), '&')) {
        const std::size_t equals = pair.find('=');
        const std::string_view value = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
        query[std::string(pair.substr(0, equals))] = percent_decode(value).value_or(std::string(value));
    }
    return query;
}

SinkReply refusal(int status, std::string_view code) {
    SinkReply reply;
    reply.status = status;
    reply.headers = "Content-Type: application/xml\r\nx-ms-error-code: " + std::string(code) + "\r\n";
    reply.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + std::string(code) +
                 "</Code><Message>The sink says no.</Message></Error>";
    return reply;
}

SinkReply xml(std::string text) {
    SinkReply reply;
    reply.headers = "Content-Type: application/xml\r\n";
    reply.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?>" + std::move(text);
    return reply;
}

std::string block_elements(const std::map<std::string, std::uint64_t>& blocks) {
    std::string out;
    for (const auto& [id, size] : blocks) {
        out += "<Block><Name>" + id + "</Name><Size>" + std::to_string(size) + "</Size></Block>";
    }
    return out;
}

std::string operation_of(const std::string& method, const Query& query) {
    const auto comp = query.find("comp");
    const std::string verb = method == "PUT" ? "Put" : method == "GET" ? "Get" : method;
    if (query.count("restype") > 0) return verb + " Container";
    if (comp == query.end()) return verb + " Blob";
    if (comp->second == "block") return verb + " Block";
    if (comp->second == "blocklist") return verb + " Block List";
    return verb + " " + comp->second;
}

}  // namespace

bool SinkBlobs::wants_body(const test::WireRequest& request) {
    return request.method == "PUT" && request.target.find("comp=blocklist") != std::string::npos;
}

SinkReply SinkBlobs::answer(const test::WireRequest& request, std::string_view body) {
    const std::string date = format_http_date(SystemClock().wall());
    const std::lock_guard lock(mutex_);
    bytes_ += request.content_length();
    SinkReply reply = dispatch(request, body);
    reply.headers += "Date: " + date + "\r\nLast-Modified: " + date +
                     "\r\nx-ms-version: 2023-11-03\r\nx-ms-request-server-encrypted: true\r\n"
                     "x-ms-request-id: 00000000-0000-0000-0000-000000000001\r\n";
    return reply;
}

SinkReply SinkBlobs::created() {
    SinkReply reply;
    reply.status = 201;
    reply.headers = "ETag: \"0x" + std::to_string(++versions_) + "\"\r\n";
    return reply;
}

SinkReply SinkBlobs::dispatch(const test::WireRequest& request, std::string_view body) {
    const Query query = query_of(request);
    const std::string path = path_of(request);
    const std::string operation = operation_of(request.method, query);
    ++operations_[operation];
    if (query.count("restype") > 0) {
        if (query.count("comp") > 0 && query.at("comp") == "list") {
            return xml("<EnumerationResults><Blobs /><NextMarker /></EnumerationResults>");
        }
        return request.method == "PUT" ? created() : SinkReply{};
    }
    if (operation == "Put Block") {
        blobs_[path].staged[query.count("blockid") > 0 ? query.at("blockid") : ""] = request.content_length();
        SinkReply reply;
        reply.status = 201;
        return reply;
    }
    if (operation == "Put Block List") return commit(blobs_[path], body);
    if (operation == "Put Blob") {
        Blob& blob = blobs_[path];
        blob = Blob{};
        blob.committed = true;
        blob.size = request.content_length();
        return created();
    }
    if (request.method == "PUT") return created();  // properties, metadata, tier
    const auto found = blobs_.find(path);
    if (found == blobs_.end()) return refusal(404, "BlobNotFound");
    const Blob& blob = found->second;
    if (operation == "Get Block List") {
        return xml("<BlockList><CommittedBlocks>" + block_elements(blob.blocks) +
                   "</CommittedBlocks><UncommittedBlocks>" + block_elements(blob.staged) +
                   "</UncommittedBlocks></BlockList>");
    }
    if (request.method != "HEAD" || !blob.committed) return refusal(404, "BlobNotFound");
    SinkReply reply;
    reply.headers = "ETag: \"0x" + std::to_string(versions_) +
                    "\"\r\nx-ms-blob-type: BlockBlob\r\nContent-Type: application/octet-stream\r\n";
    reply.length_only = true;
    reply.body_length = blob.size;
    return reply;
}

SinkReply SinkBlobs::commit(Blob& blob, std::string_view xml_text) {
    std::map<std::string, std::uint64_t> blocks;
    std::uint64_t size = 0;
    for (const std::string_view kind : {"<Latest>", "<Uncommitted>", "<Committed>"}) {
        for (std::size_t at = xml_text.find(kind); at != std::string_view::npos; at = xml_text.find(kind, at)) {
            at += kind.size();
            const std::string id(xml_text.substr(at, xml_text.find('<', at) - at));
            const auto& from = blob.staged.count(id) > 0 ? blob.staged : blob.blocks;
            const auto block = from.find(id);
            if (block == from.end()) return refusal(400, "InvalidBlockList");
            blocks[id] = block->second;
            size += block->second;
        }
    }
    blob = Blob{true, size, {}, std::move(blocks)};
    return created();
}

std::string SinkBlobs::report() {
    const std::lock_guard lock(mutex_);
    std::uint64_t requests = 0;
    std::uint64_t committed = 0;
    std::uint64_t committed_bytes = 0;
    std::string operations;
    for (const auto& [name, count] : operations_) {
        requests += count;
        operations += (operations.empty() ? "\"" : ", \"") + name + "\": " + std::to_string(count);
    }
    for (const auto& [path, blob] : blobs_) {
        committed += blob.committed ? 1 : 0;
        committed_bytes += blob.committed ? blob.size : 0;
    }
    return "{\"requests\": " + std::to_string(requests) + ", \"bytes\": " + std::to_string(bytes_) +
           ", \"committed_blobs\": " + std::to_string(committed) +
           ", \"committed_bytes\": " + std::to_string(committed_bytes) + ", \"operations\": {" + operations + "}}";
}

}  // namespace azlock::bench
