// `azlock append DEST [FILE]`: appends its input to an append blob, each byte exactly once.

#include "base/quantity.hpp"
#include "cli/commands/append/append_flags.hpp"
#include "cli/commands/append/append_input_flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/append/input/run.hpp"
#include "ops/files/content_type.hpp"
#include "ops/files/source_file.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Time to release the lease, after --shutdown-timeout.
constexpr seconds kReleaseTime{5};
constexpr std::uint64_t kLargestBlock = std::uint64_t{100} << 20U;

constexpr const char* kExamples =
    "Examples:\n"
    "  job 2>&1 | azlock append logs/job.log --lines --timestamp\n"
    "  azlock append --exec logs/job.log --lines -- job --with arguments\n"
    "  azlock append logs/app.log /var/log/app.log --follow --lines --rotate --max-size 1GiB\n"
    "  azlock append backups/wal.bin wal.bin --resume\n"
    "Any number of azlocks may append to one blob at the same time; with --lines their lines stay whole.\n";

struct Options {
    std::string destination;
    std::string file;
    bool exec = false;
    AppendFlags append;
    AppendInputFlags input;
};

Json summary(const ops::AppendEnd& end, Context& context, milliseconds took) {
    const ops::AppendReport& report = end.report;
    Json out;
    out["target"] = report.blob.to_string();
    out["etag"] = or_null(report.etag);
    out["bytes"] = report.bytes;
    out["lines"] = report.lines;
    out["blocks"] = report.blocks;
    out["first_offset"] = report.first_offset;
    out["rotations"] = report.rotations;
    out["sealed"] = report.sealed;
    out["turns"] = report.turns;
    out["duplicates_avoided"] = report.duplicates_avoided;
    out["split_lines"] = end.split_lines;
    out["skipped"] = end.skipped;
    out["requests"] = context.wire().requests();
    out["retries"] = report.retries;
    out["seconds"] = static_cast<double>(took.count()) / 1000.0;
    return out;
}

Status tell(const ops::AppendEnd& end, Context& context, BootTime start, bool tee) {
    Output& output = context.output();
    const auto took = std::chrono::duration_cast<milliseconds>(context.clock().now() - start);
    if (output.json()) return output.object(summary(end, context, took));
    const ops::AppendReport& report = end.report;
    std::string text = report.blob.to_string() + ": appended " + format_bytes(report.bytes) + " in " +
                       std::to_string(report.blocks) + (report.blocks == 1 ? " block" : " blocks");
    if (end.skipped > 0) text += " (" + format_bytes(end.skipped) + " were there already)";
    output.notice(text + ", " + format_duration(took));
    return tee ? Status() : output.etag(report.etag);
}

Status check(const Options& o, const std::vector<std::string>& command) {
    if (o.exec && command.empty()) {
        return fail(ErrorCode::usage, "--exec: a command is needed", "azlock append --exec DEST -- COMMAND...");
    }
    if (o.exec && !o.file.empty()) return fail(ErrorCode::usage, "--exec: the command gives the input, not a file");
    if (o.exec && o.input.follow) return fail(ErrorCode::usage, "--follow is for files, not for --exec");
    const bool file = !o.file.empty() && o.file != "-";
    if (o.append.resume && !file) return fail(ErrorCode::usage, "--resume needs a FILE: only that can be read again");
    return {};
}

Status run(const Options& o, Context& context) {
    if (auto ok = check(o, context.command_line()); !ok) return ok;
    const bool file = !o.file.empty() && o.file != "-";
    auto options = read_append_flags(o.append, !file || o.input.follow, context);
    if (!options) return fail(options.error());
    auto opened = context.open_single(o.destination);
    if (!opened) return fail(opened.error());
    if (opened->address.blob.empty() || opened->address.blob.ends_with('/')) {
        return fail(ErrorCode::usage, "the destination must name the blob to append to");
    }
    if (!opened->address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be written");
    ops::fill_content_type(options->content_type, opened->address.blob);
    const BootTime start = context.clock().now();
    AppendInputPlan plan;
    plan.file = o.file;
    plan.destination = opened->client().endpoint().to_string() + "/" + opened->address.to_string();
    plan.max_block = std::min(kLargestBlock, options->send.max_size.value_or(kLargestBlock));
    plan.resume = o.append.resume;
    plan.json = context.output().json();
    const auto input = read_append_input(o.input, plan);
    if (!input) return fail(input.error());
    ops::AppendRun work{{file ? o.file : "", o.input.follow, o.input.follow_from == "end", o.append.resume},
                        *input,
                        std::move(*options),
                        *o.append.shutdown_timeout,
                        [&context](const std::string& text) { context.output().notice(text); }};
    if (o.exec) work.source.command = context.command_line();
    work.source.signal = [&context] { return context.signals().received(); };
    if (file && !o.input.follow) {
        const auto found = ops::SourceFile::open(o.file);
        if (!found && (o.append.resume || found.error().code == ErrorCode::input_missing)) return fail(found.error());
        if (found) work.source.whole = (*found)->region(0, (*found)->size());
    }
    context.take_time_to_stop(std::chrono::ceil<seconds>(work.time_to_stop) + kReleaseTime);
    const auto end = ops::run_append(opened->client(), opened->address, std::move(work), context.call());
    if (end.exit_code) context.set_exit_code(*end.exit_code);
    if (end.lost) context.set_exit_code(exit_code(end.status.error(), 0));
    if (end.all_sent) {
        if (auto told = tell(end, context, start, o.input.tee); !told) return told;
    }
    return end.status;
}

}  // namespace

void register_append(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("append", "Append a pipe, a file or a command's output to an append blob");
    cmd->add_option("DEST", o->destination, "CONTAINER/BLOB, az://... or URL; the blob is created if it does not exist")
        ->required()
        ->type_name("");
    cmd->add_option("FILE", o->file, "A file, or - for standard input (default)")->type_name("");
    cmd->add_flag("--exec", o->exec,
                  "Append what a command writes: --exec DEST -- COMMAND...; ends with its exit code");
    add_append_input_flags(*cmd, o->input);
    add_append_flags(*cmd, o->append);
    cmd->footer(kExamples);
    commands.take_command(cmd, "--exec");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
