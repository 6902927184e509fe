#include "ops/stager.hpp"

#include <unordered_map>

#include "base/crc64.hpp"
#include "base/worker_pool.hpp"

namespace azlock::ops {
namespace {

using azure::Checksum;

constexpr std::size_t kReadSize = 256 * 1024;
// A checksum that the service finds wrong although the file did not change: the bytes were damaged on the way.
constexpr int kMaxDamaged = 3;

// The emulator's account. It refuses CRC64 (after reading the whole block), so there MD5 is tried first.
constexpr std::string_view kEmulatorAccount = "devstoreaccount1";

bool refuses_crc64(const Error& error) {
    return error.service_code == "FeatureNotSupported" || error.service_code == "UnsupportedHeader" ||
           error.service_code == "InvalidHeaderValue";
}

// The emulator answers InvalidOperation [azurite 3].
bool is_mismatch(const Error& error) {
    return error.service_code == "Md5Mismatch" || error.service_code == "Crc64Mismatch" ||
           (error.service_code == "InvalidOperation" && error.http_status == 400);
}

Error explain(Error error) {
    if (error.service_code == "InvalidBlobOrBlock") {
        error.message = "the blob holds staged blocks of another tool, whose ids have another length";
        error.hint = "let that upload finish, or delete the blob; staged blocks vanish a week after the last one";
    }
    return error;
}

Error damaged_on_the_way(Error error) {
    error.code = ErrorCode::data;
    return error;
}

}  // namespace

Stager::Stager(azure::BlobClient& client, azure::BlobAddress blob, std::shared_ptr<const SourceFile> source,
               std::vector<BlockRange> blocks, StageOptions options)
    : client_(client),
      blob_(std::move(blob)),
      source_(std::move(source)),
      blocks_(std::move(blocks)),
      options_(std::move(options)),
      checksum_kind_(client.endpoint().account == kEmulatorAccount ? Checksum::Kind::md5 : Checksum::Kind::crc64),
      ids_(blocks_.size()) {}

Result<Stager::Digest> Stager::digest(const BlockRange& block, Checksum::Kind kind) const {
    std::vector<std::byte> buffer(std::min<std::uint64_t>(kReadSize, block.length));
    Sha256 sha;
    Crc64 crc;
    Md5 md5;
    for (std::uint64_t done = 0; done < block.length;) {
        const auto part = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), block.length - done));
        if (auto ok = source_->read(block.offset + done, part); !ok) return fail(ok.error());
        sha.update(part);
        if (kind == Checksum::Kind::crc64) {
            crc.update(part);
        } else {
            md5.update(part);
        }
        done += part.size();
    }
    Digest out;
    out.hash = sha.finish();
    out.checksum.kind = kind;
    out.checksum.value = kind == Checksum::Kind::crc64 ? crc64_header(crc.value()) : base64_encode(md5.finish());
    return out;
}

std::string Stager::id_for(std::size_t index, const Sha256Sum& hash) {
    const std::lock_guard lock(mutex_);
    std::string& id = ids_[index];
    if (!id.empty() && BlockId::decode(id)->hash == hash) return id;
    BlockId fresh;
    fresh.hash = hash;
    fresh.length = static_cast<std::uint32_t>(blocks_[index].length);
    fresh.occurrence = occurrences_[hash]++;
    fresh.plan = options_.plan;
    id = fresh.encode();
    return id;
}

Status Stager::stage_one(std::size_t index, const azure::Call& call) {
    const BlockRange& block = blocks_[index];
    for (int damaged = 0;;) {
        const Checksum::Kind kind = checksum_kind_;
        const auto sums = digest(block, kind);
        if (!sums) return fail(sums.error());
        const std::string id = id_for(index, sums->hash);
        auto sent = client_.put_block(blob_, id, source_->region(block.offset, block.length), sums->checksum,
                                      options_.lease_id, call);
        if (sent) return {};
        const Error& error = sent.error();
        if (kind == Checksum::Kind::crc64 && refuses_crc64(error)) {
            checksum_kind_ = Checksum::Kind::md5;
            continue;
        }
        if (!is_mismatch(error)) return fail(explain(error));
        if (auto same = source_->check_unchanged(); !same) return same;
        if (++damaged == kMaxDamaged) return fail(damaged_on_the_way(error));
    }
}

Status Stager::stage_all(const azure::Call& call) {
    return run_parallel(options_.concurrency, blocks_.size(), call.stop, [&](std::size_t index, std::stop_token stop) {
        return stage_one(index, {call.deadline, stop});
    });
}

Status Stager::stage_missing(const azure::Call& call) {
    // An id counts only where it is right in each list that has it: the commit takes a staged block before a committed
    // one.
    std::unordered_map<std::string, bool> present;
    const auto visit = [&](const azure::Block& block) {
        const auto id = BlockId::decode(block.id);
        bool& right = present.try_emplace(std::string(block.id), true).first->second;
        right = right && id && id->length == block.size;
    };
    auto listed = client_.get_block_list(
        blob_, azure::BlockListType::all, options_.lease_id, visit, [&] { present.clear(); }, call);
    if (!listed && listed.error().code != ErrorCode::not_found) return listed;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        const auto found = present.find(ids_[i]);
        if (found == present.end() || !found->second) missing.push_back(i);
    }
    return run_parallel(options_.concurrency, missing.size(), call.stop, [&](std::size_t at, std::stop_token stop) {
        return stage_one(missing[at], {call.deadline, stop});
    });
}

std::vector<azure::BlockListEntry> Stager::entries() const {
    std::vector<azure::BlockListEntry> out;
    out.reserve(ids_.size());
    for (const std::string& id : ids_) out.push_back({azure::BlockSource::latest, id});
    return out;
}

}  // namespace azlock::ops
