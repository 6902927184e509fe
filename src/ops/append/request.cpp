#include "ops/append/request.hpp"

#include "azure/names.hpp"

namespace azlock::ops {
namespace {

constexpr std::chrono::hours kLongestShutdown{24};

Status check(const AppendRequest& request) {
    const AppenderOptions& options = request.options;
    const bool given = !options.send.lease_id.empty();
    if (int{request.exclusive} + int{request.no_lease} + int{given} > 1) {
        return fail(ErrorCode::usage, "give only one of --exclusive, --no-lease and --lease-id");
    }
    if (request.resume && (request.no_lease || options.rotate)) {
        return fail(ErrorCode::usage, std::string("--resume does not go with ") +
                                          (options.rotate ? "--rotate: the source is in one blob"
                                                          : "--no-lease: no other writer may append meanwhile"));
    }
    if (request.resume && !options.send.if_match.empty()) {
        return fail(ErrorCode::usage, "--resume does not go with --if-match");
    }
    if (options.rotate && given) {
        return fail(ErrorCode::usage, "--rotate does not go with --lease-id: the next blob is not leased under it");
    }
    if (request.no_lease && options.rotate) {
        return fail(ErrorCode::usage, "--rotate does not go with --no-lease: azlock seals a blob only under a lease");
    }
    if (options.send.max_size == 0U) return fail(ErrorCode::usage, "--max-size: must be more than 0");
    if (*request.shutdown_timeout > kLongestShutdown) {
        return fail(ErrorCode::usage, "--shutdown-timeout: at most 1d");
    }
    return {};
}

AppendLease lease_of(const AppendRequest& request) {
    if (request.no_lease) return AppendLease::none;
    if (!request.options.send.lease_id.empty()) return AppendLease::given;
    return request.exclusive || request.resume ? AppendLease::exclusive : AppendLease::turns;
}

}  // namespace

Result<AppenderOptions> make_appender_options(const AppendRequest& request, bool endless) {
    if (auto ok = check(request); !ok) return fail(ok.error());
    AppenderOptions out = request.options;
    out.send.lease = lease_of(request);
    if (out.send.lease == AppendLease::given) {
        auto id = azure::canonical_lease_id(out.send.lease_id);
        if (!id) return fail(id.error());
        out.send.lease_id = std::move(*id);
    }
    out.send.wait = out.turn.wait = request.wait;
    out.retry.retry_for = request.retry_for;
    if (!request.retry_for && !endless) out.retry.retry_for = kRetryFiles;
    return out;
}

}  // namespace azlock::ops
