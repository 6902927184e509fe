#include "ops/write/fence.hpp"

#include "azure/metadata.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

constexpr const char* kToken = "azl_fence";
constexpr const char* kBy = "azl_fence_by";

tl::unexpected<Error> unreadable(const std::string& what) {
    return fail(ErrorCode::data, "the blob's fencing token cannot be read: " + what,
                "it is a lock's own blob, or another tool wrote azl_fence; an upload without --fence replaces it");
}

}  // namespace

Status check_fence(const azure::Metadata& present, const Fence& mine) {
    const auto token = azure::find_metadata(present, kToken);
    const auto by = azure::find_metadata(present, kBy);
    if (!token && !by) return {};
    if (!token) return unreadable("there is azl_fence_by but no azl_fence");
    if (!by) return unreadable("there is azl_fence but no azl_fence_by");
    const auto number = parse_u64(*token);
    if (!number) return unreadable("azl_fence is not a number: '" + printable(*token) + "'");
    if (*by != mine.by) {
        return fail(ErrorCode::usage,
                    "the blob is fenced by another lock: '" + printable(*by) + "', not '" + printable(mine.by) + "'",
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
