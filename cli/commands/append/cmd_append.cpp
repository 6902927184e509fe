// `azlock append DEST [FILE]`: appends its input to an append blob, each byte exactly once.

#include "base/quantity.hpp"
#include "cli/commands/append/append_flags.hpp"
#include "cli/commands/append/append_input_flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/append/input/request.hpp"

namespace azlock::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* kExamples =
    "Examples:\n"
    "  job 2>&1 | azlock append logs/job.log --lines --timestamp\n"
    "  azlock append --exec logs/job.log --lines -- job --with arguments\n"
    "  azlock append logs/app.log /var/log/app.log --follow --lines --rotate\n"
    "  azlock append backups/wal.bin wal.bin --resume\n"
    "Any number of azlocks may append to one blob at the same time; with --lines their lines stay whole.\n";

struct Options {
    std::string destination;
    AppendFlags append;
    ops::AppendInputRequest input;
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
                       format_count(report.blocks, "block");
    if (end.skipped > 0) text += " (" + format_bytes(end.skipped) + " were there already)";
    output.notice(text + ", " + format_duration(took));
    return tee ? Status() : output.etag(report.etag);
}

Status run(const Options& o, Context& context) {
    auto request = read_append_flags(o.append, context);
    if (!request) return fail(request.error());
    ops::AppendInputRequest wanted = o.input;
    wanted.command = context.command_line();
    wanted.json = context.output().json();
    auto work = ops::prepare_append(*request, std::move(wanted));
    if (!work) return fail(work.error());
    work->source.signal = [&context] { return context.signals().received(); };
    work->say = [&context](const std::string& text) { context.output().notice(text); };
    auto opened = context.open_single(o.destination);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_not_be_snapshot("written"); !ok) return ok;
    ops::Progress progress;
    progress.name = o.input.file;
    work->progress = &progress;
    std::unique_ptr<ProgressDisplay> display;
    if (work->source.whole) {
        const Stdout data = o.input.tee ? Stdout::meanwhile : Stdout::at_the_end;
        display = show_progress(context, progress, progress_style(context.output(), false, data));
    }
    const BootTime start = context.clock().now();
    context.take_time_to_stop(work->stop_time());
    const auto end = ops::run_append(opened->client(), opened->address, std::move(*work), context.call());
    display.reset();
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
    cmd->add_option("FILE", o->input.file, "A file, or - for standard input (default)")->type_name("");
    cmd->add_flag("--exec", o->input.exec,
                  "Append what a command writes: --exec DEST -- COMMAND...; ends with its exit code");
    add_append_input_flags(*cmd, o->input);
    add_append_flags(*cmd, o->append);
    cmd->footer(kExamples);
    commands.take_command(cmd, "--exec");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
