// Finding blobs, counting ETags, and metadata, which blobs and containers share.
#include "support/fake_store.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/http_date.hpp"
#include "base/text.hpp"

namespace azlock::test::fake {
namespace {

constexpr std::uint64_t kTicksAtUnixEpoch = 621'355'968'000'000'000ULL;
constexpr auto kStagedBlocksLive = std::chrono::hours(7 * 24);

bool is_identifier(std::string_view name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::uint64_t Blob::size() const {
    std::uint64_t total = 0;
    for (const Block& block : content) total += block.bytes->size();
    return total;
}

std::string Blob::read(std::uint64_t offset, std::uint64_t length) const {
    std::string out;
    for (const Block& block : content) {
        const std::uint64_t n = block.bytes->size();
        if (offset >= n) {
            offset -= n;
            continue;
        }
        out.append(*block.bytes, offset, length - out.size());
        offset = 0;
        if (out.size() == length) break;
    }
    return out;
}

std::string Store::next_etag(WallTime wall) {
    const auto unix_ns = static_cast<std::uint64_t>(wall.time_since_epoch().count());
    last_tick = std::max(last_tick + 1, kTicksAtUnixEpoch + unix_ns / 100);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "0x%llX", static_cast<unsigned long long>(last_tick));
    return text.data();
}

Container* Store::find_container(const std::string& name) {
    const auto found = containers.find(name);
    return found == containers.end() ? nullptr : &found->second;
}

Blob* Store::find_blob(const Call& call) {
    Container* container = find_container(call.container);
    if (container == nullptr) return nullptr;
    const auto found = container->blobs.find(call.blob);
    if (found == container->blobs.end()) return nullptr;
    Blob& blob = found->second;
    if (!blob.staged.empty() && call.now - blob.last_staged > kStagedBlocksLive) {
        blob.staged.clear();
        if (!blob.committed) {
            container->blobs.erase(found);
            return nullptr;
        }
    }
    return &blob;
}

Subject subject_of(const Blob* blob) {
    if (blob == nullptr || !blob->committed) return {};
    return {true, blob->etag, blob->last_modified};
}

void touch(Store& store, Blob& blob, WallTime wall) {
    blob.etag = store.next_etag(wall);
    blob.last_modified = wall;
}

Check read_metadata(const Call& call, const Limits& limits, Metadata& metadata) {
    constexpr std::string_view kPrefix = "x-ms-meta-";
    Metadata out;
    std::size_t bytes = 0;
    for (const auto& [name, value] : call.request->headers) {
        if (!istarts_with(name, kPrefix)) continue;
        const std::string key = name.substr(kPrefix.size());
        if (key.empty()) return refusal(400, "EmptyMetadataKey");
        const bool ascii = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
        if (!is_identifier(key) || !ascii) return refusal(400, "InvalidMetadata");
        bytes += key.size() + value.size();
        out.emplace_back(key, std::string(trim(value)));
    }
    if (bytes > limits.metadata_bytes) return refusal(400, "MetadataTooLarge");
    metadata = std::move(out);
    return std::nullopt;
}

void write_metadata(const Metadata& metadata, http::Headers& out) {
    for (const auto& [name, value] : metadata) out.set("x-ms-meta-" + name, value);
}

void write_version(const std::string& etag, WallTime last_modified, http::Headers& out) {
    out.set("ETag", quoted_etag(etag));
    out.set("Last-Modified", format_http_date(last_modified));
}

}  // namespace azlock::test::fake
