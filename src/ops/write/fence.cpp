#include "ops/write/fence.hpp"

#include "azure/metadata.hpp"
#include "azure/names.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kToken = "azl_fence";
constexpr const char* kBy = "azl_fence_by";
constexpr const char* kUnderLock = "use it in a command that 'azlock lock' runs, or give --fence=N --fence-by URL";

tl::unexpected<Error> unreadable(const std::string& what) {
    return fail(ErrorCode::data, "the blob's fencing token cannot be read: " + what,
                "it is a lock's own blob, or another tool wrote azl_fence; an upload without --fence replaces it");
}

}  // namespace

Result<std::optional<Fence>> make_fence(const FenceRequest& request) {
    if (!request.wanted) {
        if (request.by.empty()) return std::nullopt;
        return fail(ErrorCode::usage, "--fence-by goes with --fence");
    }
    // With slots, a token is compared only within its slot: it does not tell which of two holders is later.
    const bool under_slots = !request.lock_url.empty() && request.lock_token.empty();
    if (under_slots && (request.token.empty() || request.by.empty())) {
        return fail(ErrorCode::usage, "--fence: the lock that this runs under has slots, and so no fencing token",
                    "use a lock without --slots, or give --fence=N --fence-by URL");
    }
    const std::string& text = request.token.empty() ? request.lock_token : request.token;
    if (text.empty()) return fail(ErrorCode::usage, "--fence: AZLOCK_FENCE is not set", kUnderLock);
    const auto token = parse_u64(text);
    if (!token) {
        return fail(ErrorCode::usage, "--fence: " + in_quotes(text) + " is not a number", "write it as --fence=N");
    }
    const std::string& by = request.by.empty() ? request.lock_url : request.by;
    if (by.empty()) {
        return fail(ErrorCode::usage, "--fence: it is not known which lock gave the token: AZLOCK_URL is not set",
                    kUnderLock);
    }
    if (auto ok = azure::check_metadata_value(kBy, by); !ok) return fail(ok.error());
    return Fence{*token, by};
}

Status check_fence(const azure::Metadata& present, const Fence& mine) {
    const auto token = azure::find_metadata(present, kToken);
    const auto by = azure::find_metadata(present, kBy);
    if (!token && !by) return {};
    if (!token) return unreadable("there is azl_fence_by but no azl_fence");
    if (!by) return unreadable("there is azl_fence but no azl_fence_by");
    const auto number = parse_u64(*token);
    if (!number) return unreadable("azl_fence is not a number: " + in_quotes(*token));
    if (*by != mine.by) {
        return fail(ErrorCode::usage,
                    "the blob is fenced by another lock: " + in_quotes(*by) + ", not " + in_quotes(mine.by),
                    "all writers must use one lock under one URL; an upload without --fence replaces the fence");
    }
    if (*number > mine.token) {
        return fail(ErrorCode::precondition,
                    "the fencing token is too old: the blob was written under " + std::to_string(*number) +
                        ", ours is " + std::to_string(mine.token),
                    "a later holder of the lock has written the blob: we have lost the lock and must stop writing");
    }
    return {};
}

bool carries_fence(const azure::Metadata& present, const Fence& mine) {
    return azure::find_metadata(present, kToken) == std::to_string(mine.token) &&
           azure::find_metadata(present, kBy) == mine.by;
}

void put_fence(azure::Metadata& metadata, const Fence& mine) {
    azure::erase_metadata(metadata, kToken);
    azure::erase_metadata(metadata, kBy);
    metadata[kToken] = std::to_string(mine.token);
    metadata[kBy] = mine.by;
}

}  // namespace azlock::ops
