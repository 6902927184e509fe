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
        return fail(ErrorCode::usage, "--exclusive, --no-lease and --lease-id: only one of them");
    }
    if (flags.resume && (flags.no_lease || flags.rotate)) {
        return fail(ErrorCode::usage, std::string("--resume does not go with ") +
                                          (flags.rotate ? "--rotate: the source is in one blob"
                                                        : "--no-lease: nobody else may append meanwhile"));
    }
    if (flags.resume && !flags.if_match.empty()) return fail(ErrorCode::usage, "--resume does not go with --if-match");
    if (flags.rotate && !flags.lease_id.empty()) {
        return fail(ErrorCode::usage, "--rotate does not go with --lease-id: the next blob is not leased under it");
    }
    if (flags.no_lease && flags.rotate) {
        return fail(ErrorCode::usage, "--rotate does not go with --no-lease: who seals a blob must be alone with it");
    }
    if (flags.max_size && *flags.max_size == 0) return fail(ErrorCode::usage, "--max-size: 0 leaves room for nothing");
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

void add_append_flags(CLI::App& command, AppendFlags& flags) {
    const auto blob = [](CLI::Option* option) { return option->group("Blob"); };
    blob(command.add_flag("--no-create", flags.no_create, "Fail if the blob does not exist"));
    blob(command.add_option("--content-type", flags.content_type,
                            "Content type of a blob that is made (default: by its name)"))
        ->type_name("TYPE");
    blob(add_size(command, "--max-size", flags.max_size, "The blob grows no larger than this"));
    blob(command.add_flag("--rotate", flags.rotate,
                          "Go on in DEST.0001, DEST.0002, ... when the blob is full; a full one is sealed"));
    blob(command.add_flag("--seal", flags.seal, "Seal the blob at the end: nobody can append to it any more"));
    blob(command.add_option("--if-match", flags.if_match, "The first append only if the ETag is this one"))
        ->type_name("ETAG");
    add_fence_flags(command, flags.fence);
    blob(command.add_flag("--resume", flags.resume,
                          "Go on with a FILE that was appended in part; only if the blob holds exactly its beginning"));

    const auto writers = [](CLI::Option* option) { return option->group("Other writers"); };
    writers(command.add_flag("--exclusive", flags.exclusive, "Keep the lease throughout: nobody else can append"));
    writers(command.add_flag("--no-lease", flags.no_lease,
                             "Take no lease, for blobs that other tools append to as well; equal lines of theirs can "
                             "be taken for ours"));
    writers(command.add_option("--lease-id", flags.lease_id, "Append under this lease, which you keep"))
        ->type_name("GUID");
    writers(command.add_flag("--equal-is-ours", flags.equal_is_ours,
                             "Where the answer to an append was lost and the lease with it: take equal bytes in its "
                             "place for ours, in place of 69"));
    writers(add_duration(command, "--wait", flags.wait,
                         "How long to wait while somebody else has the lease (default: forever)"));

    const auto network = [](CLI::Option* option) { return option->group("Outage and end"); };
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
    out.fence = std::move(*fence);
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
        out.persistence.retry_for = *flags.retry_for;
    } else if (!endless) {
        out.persistence.retry_for = kRetryFiles;
    }
    out.persistence.outage_began = [&context](const Error& error) {
        context.output().notice("the service cannot be reached; what is read is kept until it can: " +
                                error_text(error));
    };
    out.persistence.outage_ended = [&context](std::chrono::nanoseconds lasted) {
        context.output().notice("the service answers again after " + rounded(lasted));
    };
    out.rotated = [&context](const azure::BlobAddress& next) {
        context.output().notice("the blob is full, going on in " + next.to_string());
    };
    return out;
}

}  // namespace azlock::cli
