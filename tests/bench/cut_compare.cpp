// cut_compare BEFORE AFTER: what an upload of AFTER over BEFORE would send, for each way to cut into blocks, and what
// the cutting costs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/crc64.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/xxh3.hpp"
#include "ops/upload/content_cut.hpp"

using namespace azlock;
using namespace azlock::ops;

namespace {

struct Input {
    std::string path;
    Fd fd;
    std::uint64_t size = 0;

    [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const {
        const auto got = read_full_at(fd.get(), offset, out, path);
        if (!got) return fail(got.error());
        return *got == out.size() ? Status() : fail(ErrorCode::data, "'" + path + "' ends early");
    }
};

using BlockKey = std::pair<std::string, std::uint64_t>;  // hash and length
struct Cut {
    std::map<BlockKey, std::size_t> blocks;  // how often each occurs
    std::size_t count = 0;
    double cut_seconds = 0;  // for finding the cuts alone
};

Result<Input> open(const std::string& path) {
    auto fd = open_input(path);
    if (!fd) return fail(fd.error());
    const auto identity = identify(fd->get(), path);
    if (!identity) return fail(identity.error());
    return Input{path, std::move(*fd), identity->size};
}

Result<std::string> hash_of(const Input& input, const BlockRange& block) {
    Xxh3 hash;
    Bytes piece(256 * 1024);
    for (std::uint64_t done = 0; done < block.length;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), block.length - done));
        const std::span<std::byte> part(piece.data(), wanted);
        if (Status read = input.read(block.offset + done, part); !read) return fail(read.error());
        hash.update(part);
        done += wanted;
    }
    return hex_encode(hash.finish());
}

Result<std::vector<BlockRange>> content_blocks(const Input& input, const CutSizes& sizes) {
    ContentCutter cutter(sizes, input.size,
                         [&input](std::uint64_t offset, std::span<std::byte> out) { return input.read(offset, out); });
    std::vector<BlockRange> blocks;
    while (true) {
        const auto block = cutter.next();
        if (!block) return fail(block.error());
        if (!*block) return blocks;
        blocks.push_back(**block);
    }
}

std::vector<BlockRange> fixed_blocks(const Input& input, std::uint64_t size) {
    std::vector<BlockRange> blocks;
    for (std::uint64_t at = 0; at < input.size; at += size) blocks.push_back({at, std::min(size, input.size - at)});
    return blocks;
}

// `fixed`: the block size, 0 for content cuts.
Result<Cut> cut(const Input& input, std::uint64_t fixed, const CutSizes& sizes) {
    const auto start = std::chrono::steady_clock::now();
    const auto blocks =
        fixed != 0 ? Result<std::vector<BlockRange>>(fixed_blocks(input, fixed)) : content_blocks(input, sizes);
    if (!blocks) return fail(blocks.error());
    Cut result;
    result.cut_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.count = blocks->size();
    for (const BlockRange& block : *blocks) {
        auto hash = hash_of(input, block);
        if (!hash) return fail(hash.error());
        ++result.blocks[{std::move(*hash), block.length}];
    }
    return result;
}

Status compare(const char* name, const Input& before, const Input& after, std::uint64_t fixed) {
    // AFTER is cut with the sizes for BEFORE, because an upload keeps the plan of the blob.
    const CutSizes sizes = cut_sizes(before.size);
    const auto old_cut = cut(before, fixed, sizes);
    if (!old_cut) return fail(old_cut.error());
    const auto new_cut = cut(after, fixed, sizes);
    if (!new_cut) return fail(new_cut.error());
    std::uint64_t bytes = 0;
    std::size_t blocks = 0;
    for (const auto& [key, count] : new_cut->blocks) {
        const auto known = old_cut->blocks.find(key);
        const std::size_t there = known == old_cut->blocks.end() ? 0 : known->second;
        if (count > there) {
            blocks += count - there;
            bytes += (count - there) * key.second;
        }
    }
    const double share = after.size == 0 ? 0 : 100.0 * static_cast<double>(bytes) / static_cast<double>(after.size);
    std::printf("%-12s %7zu blocks, new %7zu: %10.1f MiB = %5.1f %%   cut in %.2f s\n", name, new_cut->count, blocks,
                static_cast<double>(bytes) / static_cast<double>(kMiB), share, new_cut->cut_seconds);
    return {};
}

// Measures what an upload does with every byte in any case.
Status time_hashing(const Input& input) {
    const auto start = std::chrono::steady_clock::now();
    Sha256 sha;
    Crc64 crc;
    Bytes piece(256 * 1024);
    for (std::uint64_t done = 0; done < input.size;) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), input.size - done));
        const std::span<std::byte> part(piece.data(), wanted);
        if (Status read = input.read(done, part); !read) return read;
        sha.update(part);
        crc.update(part);
        done += wanted;
    }
    const std::string sum = hex_encode(sha.finish()).substr(0, 4) + crc64_header(crc.value()).substr(0, 4);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("SHA-256 and CRC64 of it in %.2f s (%s)\n", seconds, sum.c_str());
    return {};
}

Status run(const std::string& before_path, const std::string& after_path) {
    const auto before = open(before_path);
    if (!before) return fail(before.error());
    const auto after = open(after_path);
    if (!after) return fail(after.error());
    std::printf("%.1f MiB before, %.1f MiB after\n", static_cast<double>(before->size) / static_cast<double>(kMiB),
                static_cast<double>(after->size) / static_cast<double>(kMiB));
    // Fixed blocks of the mean size of content cuts, fixed blocks of the default size, and content cuts.
    if (Status done = compare("fixed 4 MiB", *before, *after, 4 * kMiB); !done) return done;
    if (Status done = compare("fixed 8 MiB", *before, *after, 8 * kMiB); !done) return done;
    if (Status done = compare("content", *before, *after, 0); !done) return done;
    return time_hashing(*after);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("Usage: cut_compare BEFORE AFTER\n", stderr);
        return 64;
    }
    const Status done = run(argv[1], argv[2]);
    if (done) return 0;
    std::fprintf(stderr, "cut_compare: %s\n", done.error().message.c_str());
    return 1;
}
