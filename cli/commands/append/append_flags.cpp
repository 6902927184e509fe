#include "cli/commands/append/append_flags.hpp"

#include "cli/flags/flags.hpp"
#include "cli/flags/retry_for.hpp"

namespace azlock::cli {
void add_append_flags(Parser& command, AppendFlags& flags) {
    ops::AppendRequest& request = flags.request;
    ops::AppenderOptions& options = request.options;
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
    blob(command.add_flag("--resume", request.resume,
                          "Continue a FILE that was appended in part, if the blob is exactly its beginning"));

    const auto writers = [](Option* option) { return option->group("Other writers"); };
    writers(command.add_flag("--exclusive", request.exclusive, "Keep the lease to the end: nobody else can append"));
    writers(command.add_flag("--no-lease", request.no_lease,
                             "Take no lease, for blobs that other tools append to, too; their equal lines can be "
                             "mistaken for ours"));
    writers(command.add_option("--lease-id", options.send.lease_id, "Append under this lease, which you keep"))
        ->type_name("GUID");
    writers(command.add_flag("--equal-is-ours", options.send.equal_is_ours,
                             "If the answer to an append was lost, and the lease too: take equal bytes at that "
                             "position for ours, instead of exit code 69"));
    writers(add_duration(command, "--wait", request.wait,
                         "How long to wait while somebody else has the lease (default: forever)"));

    const auto network = [](Option* option) { return option->group("Outage and end"); };
    network(add_duration(command, "--retry-for", request.retry_for,
                         "How long an outage may last (default: forever for a pipe, 5m for a FILE)"));
    network(add_duration(command, "--shutdown-timeout", request.shutdown_timeout,
                         "After TERM or INT, how long to go on sending what was read (default 10s)"));
}

Result<ops::AppendRequest> read_append_flags(const AppendFlags& flags, Context& context) {
    ops::AppendRequest out = flags.request;
    auto fence = read_fence_flags(flags.fence);
    if (!fence) return fail(fence.error());
    out.options.send.fence = std::move(*fence);
    out.options.create = !flags.no_create;
    out.options.turn.waiting = [&context](const ops::LeaseView& view) {
        context.output().notice("waiting for the lease, which " + view.holder() + " has" +
                                (view.lease.duration == "infinite" ? " (infinite)" : ""));
    };
    out.options.retry.told = tell_of_outages(context, [] { return "keeps its input until it answers again"; });
    out.options.unseen = [&context] {
        context.output().notice(
            "the credential may not read the blob: if an answer is lost, azlock cannot look whether the bytes are "
            "there, and ends with 69");
    };
    out.options.rotated = [&context](const azure::BlobAddress& next) {
        context.output().notice("the blob is full, continuing in " + next.to_string());
    };
    return out;
}

}  // namespace azlock::cli
