#include "ops/append/input/request.hpp"

#include <unistd.h>

#include "base/quantity.hpp"
#include "ops/files/source_file.hpp"

namespace azlock::ops {
namespace {

Error usage(std::string message, std::string hint = {}) {
    return make_error(ErrorCode::usage, std::move(message), std::move(hint));
}

Status check_source(const AppendInputRequest& request) {
    if (request.exec && request.command.empty()) {
        return fail(usage("--exec: a command is needed", "azlock append --exec DEST -- COMMAND..."));
    }
    if (request.exec && !request.file.empty()) return fail(usage("--exec: the command gives the input, not a file"));
    if (request.exec && request.follow) return fail(usage("--follow is for files, not for --exec"));
    if (request.resume && !request.has_file()) return fail(usage("--resume needs a FILE: only that can be read again"));
    if (request.follow && !request.has_file()) return fail(usage("--follow needs a FILE: standard input has an end"));
    return {};
}

Status check_combinations(const AppendInputRequest& request) {
    if (auto ok = check_source(request); !ok) return ok;
    const bool stamped = !request.timestamp.empty() || !request.prefix.empty();
    const bool spooling = request.on_full == "spool";
    if (!request.follow_from.empty() && !request.follow) return fail(usage("--follow-from goes with --follow"));
    if (request.tee && request.json) return fail(usage("--tee and --json both want standard output"));
    if (spooling && request.spool_dir.empty()) {
        return fail(usage("--on-full spool needs --spool-dir DIR", "name a folder that still exists after a restart"));
    }
    if (!spooling && !request.spool_dir.empty()) return fail(usage("--spool-dir goes with --on-full spool"));
    if (request.spool_max && !spooling) return fail(usage("--spool-max goes with --on-full spool"));
    if (!request.resume) return {};
    if (stamped || request.cut.complete_last) {
        return fail(
            usage("--resume compares the blob with the file, so --timestamp, --prefix and --complete-last-line do not "
                  "go with it"));
    }
    if (request.follow) return fail(usage("--resume is for a whole file and does not go with --follow"));
    if (!request.on_full.empty() && request.on_full != "block") {
        return fail(usage("--resume needs all of the file: --on-full " + request.on_full + " does not go with it"));
    }
    return {};
}

// By default a batch fits into one block, and the buffer holds two batches.
Status read_sizes(const AppendInputRequest& request, std::uint64_t max_block, BufferOptions& out) {
    const std::uint64_t batch = request.batch_size.value_or(std::min(out.pace.batch_size, max_block));
    if (batch == 0) return fail(usage("--batch-size: a batch has at least one byte"));
    if (batch > max_block) {
        return fail(usage("--batch-size: one block holds at most " + format_bytes(max_block)));
    }
    out.pace.batch_size = batch;
    out.memory = request.buffer.value_or(std::max(out.memory, 2 * batch));
    if (out.memory < std::max<std::uint64_t>(2 * batch, 16 * 1024)) {
        return fail(usage("--buffer: it must hold two batches, and at least 16 KiB",
                          "give " + format_bytes(std::max<std::uint64_t>(2 * batch, 16 * 1024)) +
                              " or more, or a smaller --batch-size"));
    }
    if (request.flush_interval) out.pace.flush_interval = *request.flush_interval;
    if (out.pace.flush_interval <= std::chrono::nanoseconds(0) || out.pace.flush_interval > std::chrono::hours(24)) {
        return fail(usage("--flush-interval: must be more than 0 and at most 1d"));
    }
    return {};
}

}  // namespace

Result<AppendInputOptions> make_append_input(const AppendInputRequest& request) {
    if (auto ok = check_combinations(request); !ok) return fail(ok.error());
    AppendInputOptions out;
    out.max_block = std::min(out.max_block, request.max_size.value_or(out.max_block));
    if (auto ok = read_sizes(request, out.max_block, out.buffer); !ok) return fail(ok.error());
    out.cut = request.cut;
    if (!request.timestamp.empty() || !request.prefix.empty()) {
        auto stamp = LineStamp::make(
            {!request.timestamp.empty(), request.timestamp == kRfc3339 ? "" : request.timestamp, request.prefix});
        if (!stamp) return fail(stamp.error());
        out.cut.stamp = std::move(*stamp);
    }
    out.cut.lines = request.cut.lines || out.cut.stamp;
    if (request.tee) out.tee = STDOUT_FILENO;
    if (request.on_full == "drop-oldest") out.buffer.on_full = OnFull::drop_oldest;
    if (request.on_full == "spool") {
        SpoolOptions spool{request.spool_dir, {}};
        spool.max = request.spool_max.value_or(spool.max);
        if (spool.max < out.buffer.memory) {
            return fail(usage("--spool-max: the spool must hold at least as much as --buffer, which is " +
                              format_bytes(out.buffer.memory)));
        }
        out.spool = std::move(spool);
    }
    return out;
}

Result<AppendSource> make_append_source(const AppendInputRequest& request) {
    AppendSource out;
    if (request.exec) out.command = request.command;
    if (!request.has_file()) return out;
    out.file = request.file;
    out.follow = request.follow;
    out.from_end = request.follow_from == "end";
    out.resume = request.resume;
    if (out.follow) return out;
    const auto found = SourceFile::open(out.file);
    if (!found && (out.resume || found.error().code == ErrorCode::input_missing)) return fail(found.error());
    if (found) out.whole = (*found)->region(0, (*found)->size());
    return out;
}

Result<AppendRun> prepare_append(const AppendRequest& request, AppendInputRequest input) {
    input.resume = request.resume;
    input.max_size = request.options.send.max_size;
    auto appender = make_appender_options(request, input.endless());
    if (!appender) return fail(appender.error());
    auto options = make_append_input(input);
    if (!options) return fail(options.error());
    auto source = make_append_source(input);
    if (!source) return fail(source.error());
    return AppendRun{std::move(*source), std::move(*options), std::move(*appender), *request.shutdown_timeout, {}};
}

}  // namespace azlock::ops
