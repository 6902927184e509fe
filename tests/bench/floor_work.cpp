#include "bench/floor_work.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/crc64.hpp"
#include "base/digest.hpp"
#include "base/xxh3.hpp"

namespace azlock::bench {
namespace {

constexpr std::size_t kPiece = 256 * 1024;  // stays in the processor's cache between reading and summing

std::string head(const FloorWork& work, const std::string& target, std::size_t length, const std::string& extra) {
    return "PUT " + target + " HTTP/1.1\r\nHost: " + work.server.address + ':' + std::to_string(work.server.port) +
           "\r\nContent-Length: " + std::to_string(length) + "\r\nx-ms-version: 2023-11-03\r\n" + extra + "\r\n";
}

// Reads a block into `out`, and computes its hash and its CRC64 on the way.
class BlockReader {
  public:
    BlockReader(int fd, const std::string& path, BlockHash hash) : fd_(fd), path_(path), hash_(hash) {}

    void read(std::uint64_t offset, std::span<std::byte> out) {
        Sha256 sha;
        Crc64 crc;
        Xxh3 xxh;
        for (std::size_t done = 0; done < out.size();) {
            const auto piece = out.subspan(done, std::min(kPiece, out.size() - done));
            const auto got = read_full_at(fd_, offset + done, piece, path_);
            if (!got || *got != piece.size()) throw std::runtime_error("cannot read the file");
            if (hash_ == BlockHash::sha256) sha.update(piece);
            if (hash_ == BlockHash::xxh3) xxh.update(piece);
            if (hash_ != BlockHash::none) crc.update(piece);
            done += piece.size();
        }
        id = hash_ == BlockHash::sha256 ? hex_encode(sha.finish()) : hex_encode(xxh.finish());
        crc_header = hash_ == BlockHash::none ? "" : "x-ms-content-crc64: " + crc64_header(crc.value()) + "\r\n";
    }

    std::string id;
    std::string crc_header;

  private:
    int fd_;
    const std::string& path_;
    BlockHash hash_;
};

// Runs `work(next)` on n threads. next() gives each index below `count` once. Rethrows a failure.
using Next = std::function<bool(std::uint64_t&)>;
void run_threads(std::size_t threads, std::uint64_t count, const std::function<void(const Next&)>& work) {
    std::atomic<std::uint64_t> index{0};
    std::mutex mutex;
    std::exception_ptr failure;
    {
        std::vector<std::jthread> running;
        for (std::size_t i = 0; i < std::min<std::uint64_t>(threads, count); ++i) {
            running.emplace_back([&] {
                try {
                    work([&](std::uint64_t& at) { return (at = index.fetch_add(1)) < count; });
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    failure = std::current_exception();
                }
            });
        }
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::uint64_t send_file(const FloorWork& work, const std::string& file) {
    const auto fd = open_input(file);
    const auto identity = fd ? identify(fd->get(), file) : Result<FileIdentity>(fail(fd.error()));
    if (!identity) throw std::runtime_error(identity.error().message);
    const std::uint64_t blocks = (identity->size + work.block_size - 1) / work.block_size;
    std::vector<std::string> ids(blocks);
    run_threads(work.threads, blocks, [&](const Next& next) {
        FloorConnection connection(work.server);
        BlockReader reader(fd->get(), file, work.hash);
        const auto buffer = std::make_unique_for_overwrite<std::byte[]>(work.block_size);
        for (std::uint64_t at = 0; next(at);) {
            const std::uint64_t offset = at * work.block_size;
            const std::span block(buffer.get(), std::min(work.block_size, identity->size - offset));
            reader.read(offset, block);
            if (work.hash == BlockHash::none) reader.id = hex_encode(std::as_bytes(std::span(&at, 1)));
            ids[at] = reader.id;
            const std::string target = work.path + "?comp=block&blockid=" + reader.id;
            connection.exchange(head(work, target, block.size(), reader.crc_header), block, 201);
        }
    });
    std::string list = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
    for (const std::string& id : ids) list += "<Latest>" + id + "</Latest>";
    list += "</BlockList>";
    FloorConnection(work.server)
        .exchange(head(work, work.path + "?comp=blocklist", list.size(), {}), as_bytes(list), 201);
    return blocks + 1;
}

std::uint64_t send_small(const FloorWork& work, std::uint64_t count, std::size_t size) {
    const std::string body(size, 'x');
    run_threads(work.threads, count, [&](const Next& next) {
        FloorConnection connection(work.server);
        for (std::uint64_t at = 0; next(at);) {
            const std::string target = work.path + std::to_string(at);
            connection.exchange(head(work, target, size, "x-ms-blob-type: BlockBlob\r\n"), as_bytes(body), 201);
        }
    });
    return count;
}

}  // namespace azlock::bench
