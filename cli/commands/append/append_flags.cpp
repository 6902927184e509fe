#include "cli/commands/append/append_flags.hpp"

#include "azure/names.hpp"
#include "base/quantity.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::minutes kRetryFiles{5};
constexpr std::chrono::hours kLongestShutdown{24};

Status check(const AppendFlags& flags) {
    if (static_cast<int>(flags.exclusive) + static_cast<int>(flags.no_lease) +
            static_cast<int>(!flags.lease_id.empty()) >
        1) {
        return fail(ErrorCode::usage, "give only one of --exclusive, --no-lease and --lease-id");
    }
    if (flags.resume && (flags.no_lease || flags.rotate)) {
        return fail(ErrorCode::usage, std::string("--resume does not go with ") +
                                          (flags.rotate ? "--rotate: the source is in one blob"
                                                        : "--no-lease: no other writer may append meanwhile"));
    }
    if (flags.resume && !flags.if_match.empty()) return fail(ErrorCode::usage, "--resume does not go with --if-match");
    if (flags.rotate && !flags.lease_id.empty()) {
        return fail(ErrorCode::usage, "--rotate does not go with --lease-id: the next blob is not leased under it");
    }
    if (flags.no_lease && flags.rotate) {
        return fail(ErrorCode::usage, "--rotate does not go with --no-lease: azlock seals a blob only under a lease");
    }
    if (flags.max_size && *flags.max_size == 0) return fail(ErrorCode::usage, "--max-size: must be more than 0");
    if (flags.time_to_stop() > kLongestShutdown) return fail(ErrorCode::usage, "--shutdown-timeout: at most 1d");
    return {};
}

ops::AppendGuard guard_of(const AppendFlags& flags) {
    if (flags.no_lease) return ops::AppendGuard::none;
    if (!flags.lease_id.empty()) return ops::AppendGuard::given;
    return flags.exclusive || flags.resume ? ops::AppendGuard::exclusive : ops::AppendGuard::turns;
}

std::string rounded(std::chrono::nanoseconds span) {
    return format_duration(std::chrono::duration_cast<milliseconds>(span));
}

}  // namespace

void add_append_flags(Parser& command, AppendFlags& flags) {
    const auto blob = [](Option* option) { return option->group("Blob"); };
    blob(command.add_flag("--no-create", flags.no_create, "Fail if the blob does not exist"));
    blob(
        command.add_option("--content-type", flags.content_type, "Content type of a new blob (default: from its name)"))
        ->type_name("TYPE");
    blob(add_size(command, "--max-size", flags.max_size, "Do not let the blob grow larger than this"));
    blob(command.add_flag("--rotate", flags.rotate,
                          "When the blob is full, seal it and continue in DEST.0001, DEST.0002, ..."));
    blob(command.add_flag("--seal", flags.seal, "Seal the blob at the end: nobody can append to it any more"));
    blob(command.add_option("--if-match", flags.if_match, "Do the first append only if the blob has this ETag"))
        ->type_name("ETAG");
    add_fence_flags(command, flags.fence);
    blob(command.add_flag("--resume", flags.resume,
                          "Continue a FILE that was appended in part, if the blob is exactly its beginning"));

    const auto writers = [](Option* option) { return option->group("Other writers"); };
    writers(command.add_flag("--exclusive", flags.exclusive, "Keep the lease to the end: nobody else can append"));
    writers(command.add_flag("--no-lease", flags.no_lease,
                             "Take no lease, for blobs that other tools append to, too; their equal lines can be "
                             "mistaken for ours"));
    writers(command.add_option("--lease-id", flags.lease_id, "Append under this lease, which you keep"))
        ->type_name("GUID");
    writers(command.add_flag("--equal-is-ours", flags.equal_is_ours,
                             "If the answer to an append was lost, and the lease too: take equal bytes at that "
                             "position for ours, instead of exit code 69"));
    writers(add_duration(command, "--wait", flags.wait,
                         "How long to wait while somebody else has the lease (default: forever)"));

    const auto network = [](Option* option) { return option->group("Outage and end"); };
    network(add_duration(command, "--retry-for", flags.retry_for,
                         "How long an outage may last (default: forever for a pipe, 5m for a FILE)"));
    network(add_duration(command, "--shutdown-timeout", flags.shutdown_timeout,
                         "After TERM or INT, how long to go on sending what was read (default 10s)"));
}

Result<ops::AppenderOptions> read_append_flags(const AppendFlags& flags, bool endless, Context& context) {
    if (auto ok = check(flags); !ok) return fail(ok.error());
    ops::AppenderOptions out;
    out.send.guard = guard_of(flags);
    if (!flags.lease_id.empty()) {
        auto id = azure::canonical_lease_id(flags.lease_id);
        if (!id) return fail(id.error());
        out.send.lease_id = std::move(*id);
    }
    out.send.if_match = flags.if_match;
    out.send.max_size = flags.max_size;
    out.send.wait = flags.wait;
    out.send.equal_is_ours = flags.equal_is_ours;
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    out.send.fence = std::move(*fence);
    out.create = !flags.no_create;
    out.content_type = flags.content_type;
    out.rotate = flags.rotate;
    out.seal = flags.seal;
    out.turn.wait = flags.wait;
    out.turn.waiting = [&context](const ops::LeaseView& view) {
        context.output().notice("waiting for the lease, which " + view.holder() + " has" +
                                (view.lease.duration == "infinite" ? " (infinite)" : ""));
    };
    if (flags.retry_for) {
        out.retry.retry_for = *flags.retry_for;
    } else if (!endless) {
        out.retry.retry_for = kRetryFiles;
    }
    out.retry.outage_began = [&context](const Error& error) {
        context.output().notice("the service cannot be reached; azlock keeps its input until it answers again: " +
                                error_text(error));
    };
    out.retry.outage_ended = [&context](std::chrono::nanoseconds lasted) {
        context.output().notice("the service answers again after " + rounded(lasted));
    };
    out.rotated = [&context](const azure::BlobAddress& next) {
        context.output().notice("the blob is full, continuing in " + next.to_string());
    };
    return out;
}

}  // namespace azlock::cli
