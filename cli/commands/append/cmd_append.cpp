// `azlock append DEST [FILE]`: appends its input to an append blob, each byte exactly once.
#include <memory>

#include "base/quantity.hpp"
#include "base/stop_grace.hpp"
#include "base/text.hpp"
#include "cli/commands/append/append_flags.hpp"
#include "cli/commands/append/append_input_flags.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "ops/append/input/fd_input.hpp"
#include "ops/files/content_type.hpp"
#include "ops/files/source_file.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

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

struct Work {
    const Options& o;
    Context& context;
    Opened& opened;
    AppendInputPlan plan;
    BootTime start;
    std::unique_ptr<ops::Spool> spool = {};
    std::optional<os::Child> child = {};
    std::string command = {};
};

// The file's name without its directory: it names the source wherever the file is.
std::string source_name(const std::string& file) {
    const auto slash = file.find_last_of('/');
    return slash == std::string::npos ? file : file.substr(slash + 1);
}

Json summary(const Work& work, const ops::AppendReport& report, const ops::AppendInput& input) {
    Json out;
    out["target"] = report.blob.to_string();
    out["etag"] = report.etag;
    out["bytes"] = report.bytes;
    out["lines"] = report.lines;
    out["blocks"] = report.blocks;
    out["first_offset"] = report.first_offset;
    out["rotations"] = report.rotations;
    out["sealed"] = report.sealed;
    out["turns"] = report.turns;
    out["duplicates_avoided"] = report.duplicates_avoided;
    out["split_lines"] = input.split_lines();
    out["skipped"] = work.plan.input_offset;
    out["requests"] = work.context.wire().requests();
    out["retries"] = report.retries;
    const auto took = std::chrono::duration_cast<milliseconds>(work.context.clock().now() - work.start);
    out["seconds"] = static_cast<double>(took.count()) / 1000.0;
    return out;
}

Status tell(const Work& work, const ops::AppendReport& report, const ops::AppendInput& input) {
    Output& output = work.context.output();
    if (output.json()) return output.object(summary(work, report, input));
    const auto took = std::chrono::duration_cast<milliseconds>(work.context.clock().now() - work.start);
    std::string text = report.blob.to_string() + ": appended " + format_bytes(report.bytes) + " in " +
                       std::to_string(report.blocks) + (report.blocks == 1 ? " block" : " blocks");
    if (work.plan.input_offset > 0) text += " (" + format_bytes(work.plan.input_offset) + " were there already)";
    output.notice(text + ", " + format_duration(took));
    return work.o.input.tee ? Status() : output.line(report.etag);
}

// Says which bytes that were read are not in the blob; empty if all of them are.
std::string missing(const ops::AppendInput& input, std::uint64_t unsettled, bool perhaps) {
    std::string out;
    if (unsettled > 0) {
        out = std::to_string(unsettled) + " bytes that were read are not in the blob" +
              (perhaps ? ", or only some of them are" : "");
        if (input.spooled_bytes() > 0) out += " (" + format_bytes(input.spooled_bytes()) + " wait in the spool)";
    }
    const auto dropped = input.dropped();
    if (dropped.bytes > 0) {
        out += (out.empty() ? "" : "; ") + std::to_string(dropped.bytes) + " bytes (" + std::to_string(dropped.lines) +
               " lines) were dropped, because the buffer was full";
    }
    return out;
}

Status outcome_of(const Work& work, Status ran, ops::AppendInput& input) {
    const std::uint64_t unsettled = input.source().unconfirmed_bytes();
    const bool signalled = work.context.call().stop.stop_requested();
    const std::string lost = missing(input, unsettled, !ran && ran.error().may_have_applied);
    if (!ran) {
        Error error = ran.error();
        if (!lost.empty()) error.message = lost + ": " + error.message;
        const bool given_up = error.code == ErrorCode::cancelled || error.code == ErrorCode::unavailable;
        if (signalled && given_up && !lost.empty()) {
            error.code = ErrorCode::unavailable;
            work.context.set_exit_code(exit_code(error, 0));
        }
        return fail(std::move(error));
    }
    if (lost.empty()) return {};
    Error error = make_error(ErrorCode::unavailable, lost, "a larger --buffer, or --on-full spool, keeps more");
    error.target = work.opened.address.to_string();
    work.context.set_exit_code(exit_code(error, 0));
    return fail(std::move(error));
}

// An error if a signal came before the whole file was appended.
Status check_whole(const Work& work, const ops::AppendReport& report, std::uint64_t size) {
    if (!work.context.call().stop.stop_requested() || work.o.input.follow) return {};
    const std::uint64_t there = work.plan.input_offset + report.bytes;
    if (there >= size) return {};
    return fail(make_error(ErrorCode::cancelled,
                           "stopped: " + std::to_string(there) + " of " + std::to_string(size) +
                               " bytes of the file were read, and they are in the blob",
                           work.o.append.resume ? "run the same command again to go on" : ""));
}

Status start_child(Work& work) {
    work.command = work.context.command_line()[0];
    os::ChildOptions options;
    options.argv = work.context.command_line();
    auto child = os::Child::start(options);
    if (!child) {
        work.context.set_exit_code(os::exit_code_of(os::start_failure(child.error())));
        return fail(child.error());
    }
    work.child.emplace(std::move(*child));
    return {};
}

// Waits for the command; its output has already ended. Its exit code becomes azlock's.
Status end_child(Work& work, const Status& ran, const std::stop_token& last) {
    if (!work.child) return {};
    if (!ran) {
        work.child->stop();
        return {};
    }
    const auto end = work.child->wait(last);
    if (!end) return fail(ErrorCode::cancelled, "stopped before the command '" + printable(work.command) + "' ended");
    work.context.set_exit_code(end->code);
    if (end->code == 0) return {};
    work.context.output().notice("the command '" + printable(work.command) + "' " +
                                 (end->signal != 0 ? "was killed by signal " + std::to_string(end->signal)
                                                   : "failed with exit code " + std::to_string(end->code)));
    return {};
}

Status transfer(Work& work, ops::Appender& appender, const ops::AppendInputOptions& input_options,
                const StopGrace& grace) {
    Context& context = work.context;
    const auto say = [&context](const std::string& text) { context.output().notice(text); };
    auto make = append_input_from(work.o.input, work.plan, context.clock(), say);
    std::stop_token input_stop = context.call().stop;
    // The command gets the signal, too. What it writes until it ends is still appended.
    std::optional<StopGrace> command_grace;
    std::optional<std::stop_callback<std::function<void()>>> pass_on;
    if (work.child) {
        command_grace.emplace(context.clock(), context.call().stop, work.o.append.time_to_stop() * 4 / 5);
        input_stop = command_grace->end();
        pass_on.emplace(context.call().stop, [&work, &context] { work.child->signal(context.signals().received()); });
        make = [&work, &context](const std::stop_token& stop) -> Result<std::unique_ptr<ops::ByteInput>> {
            return std::make_unique<ops::FdInput>(
                work.child->output(), "the output of '" + printable(work.command) + "'", context.clock(), stop);
        };
    }
    auto input = ops::AppendInput::start(input_options, std::move(work.spool), make, context.clock(), input_stop, say);
    if (!input) return fail(input.error());
    Status ran = appender.run((*input)->source());
    pass_on.reset();
    Status ended = end_child(work, ran, grace.end());
    ran = outcome_of(work, ran ? ended : ran, **input);
    if (!ran) return ran;
    return tell(work, appender.report(), **input);
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
    if (options->content_type.empty()) {
        options->content_type = ops::ContentTypes(ops::system_content_type_files(std::getenv)).of(opened->address.blob);
    }
    Work work{o, context, *opened, {}, context.clock().now()};
    work.plan.file = o.file;
    work.plan.destination = opened->client().endpoint().to_string() + "/" + opened->address.to_string();
    work.plan.max_block = std::min(kLargestBlock, o.append.max_size.value_or(kLargestBlock));
    work.plan.resume = o.append.resume;
    work.plan.json = context.output().json();
    const auto usable = read_append_input(o.input, work.plan);
    if (!usable) return fail(usable.error());
    if (usable->spool) {
        auto spool = ops::Spool::open(*usable->spool, [&](const std::string& text) { context.output().notice(text); });
        if (!spool) return fail(spool.error());
        options->earlier = (*spool)->left_mark();
        work.spool = std::move(*spool);
    }
    std::shared_ptr<const ops::SourceFile> source;
    if (file && !o.input.follow) {
        auto found = ops::SourceFile::open(o.file);
        if (!found && (o.append.resume || found.error().code == ErrorCode::input_missing)) return fail(found.error());
        if (found) source = std::move(*found);
    }

    const auto span = o.append.time_to_stop();
    context.take_time_to_stop(std::chrono::ceil<seconds>(span) + kReleaseTime);
    const StopGrace grace(context.clock(), context.call().stop, span);
    const azure::Call call{context.call().deadline, grace.end()};
    ops::Appender appender(opened->client(), opened->address, std::move(*options), call);
    if (auto ready = appender.open(); !ready) return ready;
    if (o.append.resume) {
        const auto there = appender.resume(*source->region(0, source->size()), source_name(o.file));
        if (!there) return fail(there.error());
        work.plan.input_offset = *there;
    }
    const auto input_options = read_append_input(o.input, work.plan);
    if (!input_options) return fail(input_options.error());
    if (o.exec) {
        if (auto started = start_child(work); !started) return started;
    }
    auto done = transfer(work, appender, *input_options, grace);
    if (!done || !source) return done;
    return check_whole(work, appender.report(), source->size());
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
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
