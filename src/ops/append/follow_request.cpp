#include "ops/append/follow_request.hpp"

namespace azlock::ops {
namespace {

Status check_download(const FollowRequest& request) {
    if (request.from_end || request.interval) {
        return fail(ErrorCode::usage, "--from-end and --interval go with --follow");
    }
    if (request.file == "-" && request.json) {
        return fail(ErrorCode::usage, "--json needs a FILE: standard output carries the content");
    }
    return {};
}

Status check_follow(const FollowRequest& request) {
    if (!request.file.empty() && request.file != "-") {
        return fail(ErrorCode::usage, "--follow writes to standard output", "leave out FILE, or give -");
    }
    if (request.json) {
        return fail(ErrorCode::usage, "--json does not go with --follow: standard output carries the content");
    }
    if (request.conditions.any() || !request.conditions.lease_id.empty() || !request.etag_file.empty()) {
        return fail(ErrorCode::usage, "--follow does not go with conditions, --lease-id or --etag-file");
    }
    if (request.retry_for) {
        return fail(ErrorCode::usage, "--retry-for does not go with --follow, which goes on without end");
    }
    if (request.interval && request.interval->count() == 0) {
        return fail(ErrorCode::usage, "--interval: must be more than 0");
    }
    return {};
}

}  // namespace

Result<std::optional<FollowOptions>> make_follow_options(const FollowRequest& request) {
    if (auto ok = request.follow ? check_follow(request) : check_download(request); !ok) return fail(ok.error());
    if (!request.follow) return std::nullopt;
    FollowOptions out;
    out.from_end = request.from_end;
    if (request.interval) out.interval = *request.interval;
    return out;
}

}  // namespace azlock::ops
