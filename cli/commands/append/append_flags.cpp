#include "cli/commands/append/append_flags.hpp"

#include "azure/names.hpp"
#include "base/quantity.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

constexpr std::chrono::minutes kRetryFiles{5};
constexpr std::chrono::hours kLongestShutdown{24};

Status check(const AppendFlags& flags) {
    const ops::AppenderOptions& options = flags.options;
    const bool given = !options.send.lease_id.empty();
    if (int{flags.exclusive} + int{flags.no_lease} + int{given} > 1) {
        return fail(ErrorCode::usage, "give only one of --exclusive, --no-lease and --lease-id");
    }
    if (flags.resume && (flags.no_lease || options.rotate)) {
        return fail(ErrorCode::usage, std::string("--resume does not go with ") +
                                          (options.rotate ? "--rotate: the source is in one blob"
                                                          : "--no-lease: no other writer may append meanwhile"));
    }
    if (flags.resume && !options.send.if_match.empty())
        return fail(ErrorCode::usage, "--resume does not go with --if-match");
    if (options.rotate && given) {
        return fail(ErrorCode::usage, "--rotate does not go with --lease-id: the next blob is not leased under it");
    }
    if (flags.no_lease && options.rotate) {
        return fail(ErrorCode::usage, "--rotate does not go with --no-lease: azlock seals a blob only under a lease");
    }
    if (options.send.max_size == 0U) return fail(ErrorCode::usage, "--max-size: must be more than 0");
    if (*flags.shutdown_timeout > kLongestShutdown) return fail(ErrorCode::usage, "--shutdown-timeout: at most 1d");
    return {};
}

ops::AppendGuard guard_of(const AppendFlags& flags) {
    if (flags.no_lease) return ops::AppendGuard::none;
    if (!flags.options.send.lease_id.empty()) return ops::AppendGuard::given;
    return flags.exclusive || flags.resume ? ops::AppendGuard::exclusive : ops::AppendGuard::turns;
}

}  // namespace

void add_append_flags(Parser& command, AppendFlags& flags) {
    ops::AppenderOptions& options = flags.options;
    const auto blob = [](Option* option) { return option->group("Blob"); };
    blob(command.add_flag("--no-create", flags.no_create, "Fail if the blob does not exist"));
    blob(command.add_option("--content-type", options.content_type,
                            "Content type of a new blob (default: from its name)"))
        ->type_name("TYPE");
    blob(add_size(command, "--max-size", options.send.max_size, "Do not let the blob grow larger than this"));
    blob(command.add_flag("--rotate", options.rotate,
                          "When the blob is full, seal it and continue in DEST.0001, DEST.0002, ..."));
    blob(command.add_flag("--seal", options.seal, "Seal the blob at the end: nobody can append to it any more"));
    blob(command.add_option("--if-match", options.send.if_match, "Do the first append only if the blob has this ETag"))
        ->type_name("ETAG");
    add_fence_flags(command, flags.fence);
    blob(command.add_flag("--resume", flags.resume,
                          "Continue a FILE that was appended in part, if the blob is exactly its beginning"));

    const auto writers = [](Option* option) { return option->group("Other writers"); };
    writers(command.add_flag("--exclusive", flags.exclusive, "Keep the lease to the end: nobody else can append"));
    writers(command.add_flag("--no-lease", flags.no_lease,
                             "Take no lease, for blobs that other tools append to, too; their equal lines can be "
                             "mistaken for ours"));
    writers(command.add_option("--lease-id", options.send.lease_id, "Append under this lease, which you keep"))
        ->type_name("GUID");
    writers(command.add_flag("--equal-is-ours", options.send.equal_is_ours,
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
    ops::AppenderOptions out = flags.options;
    out.send.guard = guard_of(flags);
    if (out.send.guard == ops::AppendGuard::given) {
        auto id = azure::canonical_lease_id(out.send.lease_id);
        if (!id) return fail(id.error());
        out.send.lease_id = std::move(*id);
    }
    out.send.wait = out.turn.wait = flags.wait;
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    out.send.fence = std::move(*fence);
    out.create = !flags.no_create;
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
        const auto rounded = std::chrono::duration_cast<std::chrono::milliseconds>(lasted);
        context.output().notice("the service answers again after " + format_duration(rounded));
    };
    out.rotated = [&context](const azure::BlobAddress& next) {
        context.output().notice("the blob is full, continuing in " + next.to_string());
    };
    return out;
}

}  // namespace azlock::cli
