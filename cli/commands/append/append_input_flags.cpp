#include "cli/commands/append/append_input_flags.hpp"

#include <unistd.h>

#include "base/quantity.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kRfc3339 = "rfc3339";

Error usage(std::string message, std::string hint = {}) {
    return make_error(ErrorCode::usage, std::move(message), std::move(hint));
}

bool from_stdin(const AppendInputPlan& plan) {
    return plan.file.empty() || plan.file == "-";
}

Status check_combinations(const AppendInputFlags& flags, const AppendInputPlan& plan) {
    const bool stamped = !flags.timestamp.empty() || !flags.prefix.empty();
    const bool spooling = flags.on_full == "spool";
    if (flags.follow && from_stdin(plan)) return fail(usage("--follow needs a FILE: standard input has an end"));
    if (!flags.follow_from.empty() && !flags.follow) return fail(usage("--follow-from goes with --follow"));
    if (flags.tee && plan.json) return fail(usage("--tee and --json both want standard output"));
    if (spooling && flags.spool_dir.empty()) {
        return fail(usage("--on-full spool needs --spool-dir DIR", "name a folder that still exists after a restart"));
    }
    if (!spooling && !flags.spool_dir.empty()) return fail(usage("--spool-dir goes with --on-full spool"));
    if (flags.spool_max && !spooling) return fail(usage("--spool-max goes with --on-full spool"));
    if (!plan.resume) return {};
    if (stamped || flags.cut.complete_last) {
        return fail(
            usage("--resume compares the blob with the file, so --timestamp, --prefix and --complete-last-line do not "
                  "go with it"));
    }
    if (flags.follow) return fail(usage("--resume is for a whole file and does not go with --follow"));
    if (!flags.on_full.empty() && flags.on_full != "block") {
        return fail(usage("--resume needs all of the file: --on-full " + flags.on_full + " does not go with it"));
    }
    return {};
}

// By default a batch fits into one block, and the buffer holds two batches.
Status read_sizes(const AppendInputFlags& flags, const AppendInputPlan& plan, ops::BufferOptions& out) {
    const std::uint64_t batch = flags.batch_size.value_or(std::min(out.pace.batch_size, plan.max_block));
    if (batch == 0) return fail(usage("--batch-size: a batch has at least one byte"));
    if (batch > plan.max_block) {
        return fail(usage("--batch-size: one block holds at most " + format_bytes(plan.max_block)));
    }
    out.pace.batch_size = batch;
    out.memory = flags.buffer.value_or(std::max(out.memory, 2 * batch));
    if (out.memory < std::max<std::uint64_t>(2 * batch, 16 * 1024)) {
        return fail(usage("--buffer: it must hold two batches, and at least 16 KiB",
                          "give " + format_bytes(std::max<std::uint64_t>(2 * batch, 16 * 1024)) +
                              " or more, or a smaller --batch-size"));
    }
    if (flags.flush_interval) out.pace.flush_interval = *flags.flush_interval;
    if (out.pace.flush_interval <= std::chrono::nanoseconds(0) || out.pace.flush_interval > std::chrono::hours(24)) {
        return fail(usage("--flush-interval: must be more than 0 and at most 1d"));
    }
    return {};
}

}  // namespace

void add_append_input_flags(Parser& command, AppendInputFlags& flags) {
    const auto input = [](Option* option) { option->group("Input"); };
    input(command.add_flag("--follow", flags.follow,
                           "At the end of FILE wait for more, also after a log rotation, until a signal comes"));
    input(command.add_option("--follow-from", flags.follow_from, "Where to begin in the first file (default start)")
              ->type_name("start|end")
              ->choices({"start", "end"}));
    input(command.add_flag("--tee", flags.tee, "Copy the input to standard output, too"));

    const auto lines = [](Option* option) { option->group("Lines"); };
    lines(command.add_flag("--lines", flags.cut.lines, "Never split a line across two blocks"));
    lines(command.add_flag(std::string("--timestamp{") + kRfc3339 + "}", flags.timestamp,
                           "Put the time (UTC) before each line; --timestamp=FORMAT as for strftime(3)"));
    lines(command.add_option("--prefix", flags.prefix, "Put this before each line")->type_name("TEXT"));
    lines(command.add_flag("--complete-last-line", flags.cut.complete_last,
                           "Add a newline if the last line of the input has none"));

    const auto batches = [](Option* option) { option->group("Batches and buffer"); };
    batches(add_size(command, "--batch-size", flags.batch_size, "Send as soon as this much was read (default 1MiB)"));
    batches(add_duration(command, "--flush-interval", flags.flush_interval,
                         "Send what was read after this time at the latest (default 1s)"));
    batches(add_size(command, "--buffer", flags.buffer, "Memory for what is not sent yet (default 16MiB)"));
    batches(command
                .add_option("--on-full", flags.on_full,
                            "When the buffer is full: stop reading (block, the default), keep input on disk (spool), "
                            "or drop the oldest input")
                ->type_name("block|spool|drop-oldest")
                ->choices({"block", "spool", "drop-oldest"}));
    batches(command.add_option("--spool-dir", flags.spool_dir, "Folder for --on-full spool")->type_name("DIR"));
    batches(add_size(command, "--spool-max", flags.spool_max, "Largest size of the spool on disk (default 1GiB)"));
}

Result<ops::AppendInputOptions> read_append_input(const AppendInputFlags& flags, const AppendInputPlan& plan) {
    if (auto ok = check_combinations(flags, plan); !ok) return fail(ok.error());
    ops::AppendInputOptions out;
    if (auto ok = read_sizes(flags, plan, out.buffer); !ok) return fail(ok.error());
    out.max_block = plan.max_block;
    out.cut = flags.cut;
    if (!flags.timestamp.empty() || !flags.prefix.empty()) {
        auto stamp = ops::LineStamp::make(
            {!flags.timestamp.empty(), flags.timestamp == kRfc3339 ? "" : flags.timestamp, flags.prefix});
        if (!stamp) return fail(stamp.error());
        out.cut.stamp = std::move(*stamp);
    }
    out.cut.lines = flags.cut.lines || out.cut.stamp;
    if (flags.tee) out.tee = STDOUT_FILENO;
    if (flags.on_full == "drop-oldest") out.buffer.on_full = ops::OnFull::drop_oldest;
    if (flags.on_full == "spool") {
        ops::SpoolOptions spool{flags.spool_dir, plan.destination};
        spool.max = flags.spool_max.value_or(spool.max);
        if (spool.max < out.buffer.memory) {
            return fail(usage("--spool-max: the spool must hold at least as much as --buffer, which is " +
                              format_bytes(out.buffer.memory)));
        }
        out.spool = std::move(spool);
    }
    return out;
}

}  // namespace azlock::cli
