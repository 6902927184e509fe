// Compares a local file with a blob, without a download if block ids or the stored MD5 allow that.
#pragma once

#include <optional>
#include <string>

#include "azure/client.hpp"
#include "ops/transfer/progress.hpp"
#include "ops/upload/block_plan.hpp"
#include "ops/write/block_id.hpp"

namespace azlock::ops {

enum class Proof {
    block_ids,  // the committed blocks' content ids
    md5,        // the stored Content-MD5
    content,    // the bytes themselves, downloaded
    length,     // only the lengths were compared: they differ, or both are 0
};
[[nodiscard]] std::string_view to_string(Proof proof);  // "block-ids", "md5", "content", "length"

struct VerifyReport {
    bool same = false;
    Proof proof = Proof::block_ids;
    std::optional<HashKind> hash;         // with block_ids
    std::optional<BlockRange> different;  // the first range that differs, as narrow as the proof can tell
    std::uint64_t file_bytes = 0;
    std::uint64_t blob_bytes = 0;
    std::string etag;  // of the version that was compared
};

// "by its stored MD5, without downloading"
[[nodiscard]] std::string describe_proof(const VerifyReport& report);
// Error (data): the blob does not hold the bytes of the file at `path`. It says where they differ.
[[nodiscard]] Status check_same(const VerifyReport& report, const azure::BlobAddress& blob, const std::string& path);

struct VerifyOptions {
    bool download = false;  // compare the bytes if there are no ids and no equal MD5
    std::size_t concurrency = 2;
    azure::Conditions conditions;
    Progress* progress = nullptr;  // or null
};

// Errors: not_found; precondition (the blob was written meanwhile, or it has neither ids nor an MD5 and `download` is
// false); data (the file changed meanwhile).
[[nodiscard]] Result<VerifyReport> verify_file(azure::BlobClient& client, const azure::BlobAddress& blob,
                                               const std::string& path, const VerifyOptions& options,
                                               const azure::Call& call);

}  // namespace azlock::ops
