// `azlock download BLOB [FILE]`: writes one version of a blob to a file, completely or not at all.
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/conditional_read.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/retry_for.hpp"
#include "cli/output/stdout_target.hpp"
#include "cli/program/command.hpp"
#include "ops/append/follow_blob.hpp"
#include "ops/read/download_file.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string blob;
    std::string file;
    ConditionFlags conditions;
    std::string etag_file;
    std::size_t concurrency = 4;
    bool no_check_md5 = false;
    RetryFor retry_for;
    bool follow = false;
    ops::FollowOptions following;
    std::optional<std::chrono::milliseconds> interval;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock download artifacts/build.tar.gz\n"
    "  azlock download artifacts/build.tar.gz /tmp/b.tgz --if-match \"$etag\"\n"
    "  azlock download artifacts/build.tar.gz - | tar tz\n"
    "  azlock download settings/app.json --etag-file app.json.etag   # exit code 80: nothing new\n"
    "  azlock download logs/app.log --follow --from-end | grep ERROR\n";

Status follow(const Options& o, Context& context) {
    if (!o.file.empty() && o.file != "-") {
        return fail(ErrorCode::usage, "--follow writes to standard output", "leave out FILE, or give -");
    }
    if (context.output().json()) {
        return fail(ErrorCode::usage, "--json does not go with --follow: standard output carries the content");
    }
    const azure::Conditions& conditions = o.conditions.values;
    if (conditions.any() || !conditions.lease_id.empty() || !o.etag_file.empty()) {
        return fail(ErrorCode::usage, "--follow does not go with conditions, --lease-id or --etag-file");
    }
    if (o.retry_for) {
        return fail(ErrorCode::usage, "--retry-for does not go with --follow, which goes on without end");
    }
    if (o.interval && o.interval->count() == 0) return fail(ErrorCode::usage, "--interval: must be more than 0");
    auto opened = context.open_single(o.blob);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->must_be_blob(); !ok) return ok;
    Output& out = context.output();
    ops::FollowOptions options = o.following;
    options.interval = o.interval.value_or(std::chrono::duration_cast<std::chrono::milliseconds>(options.interval));
    options.retry.told = tell_of_outages(context, "azlock goes on when it answers again");
    return ops::follow_blob(
        opened->client(), opened->address, options, [&](ByteView bytes) { return out.bytes(bytes); }, context.call());
}

Status run(const Options& o, Context& context) {
    if (o.follow) return follow(o, context);
    if (o.following.from_end || o.interval) return fail(ErrorCode::usage, "--from-end and --interval go with --follow");
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    if (auto ok = check_read_conditions(*conditions); !ok) return ok;
    if (auto ok = take_etag_file(o.etag_file, *conditions); !ok) return ok;
    const bool to_stdout = o.file == "-";
    if (to_stdout && context.output().json()) {
        return fail(ErrorCode::usage, "--json needs a FILE: standard output carries the content");
    }
    const auto outages = ride_out(context, o.retry_for);
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->must_be_blob(); !ok) return ok;

    ops::DownloadOptions options;
    options.conditions = std::move(*conditions);
    options.concurrency = o.concurrency;
    options.check_md5 = !o.no_check_md5;
    if (to_stdout) {
        StdoutTarget target(context.output());
        const auto done =
            ops::download_to_stream(opened->client(), opened->address, target, o.etag_file, options, context.call());
        return done ? done : read_failed(context, opened->address, done.error());
    }
    const BootTime start = context.clock().now();
    const auto done = ops::download_to_file(opened->client(), opened->address, o.file, o.etag_file, std::move(options),
                                            context.call());
    if (!done) return read_failed(context, opened->address, done.error());
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    if (!context.output().json() && !done->superseded_by.empty()) {
        context.output().notice(printable(done->path + ": another download has saved a later version meanwhile, ETag " +
                                          done->superseded_by + "; it stays"));
        return {};
    }
    if (!context.output().json()) {
        context.output().notice(done->path + ": downloaded " + format_bytes(done->report.bytes) + ", " +
                                format_duration(took));
        return {};
    }
    Json out;
    out["target"] = opened->address.to_string();
    out["file"] = done->path;
    out["etag"] = done->report.properties.etag;
    out["superseded_by"] = or_null(done->superseded_by);
    out["bytes"] = done->report.bytes;
    out["md5_checked"] = done->report.md5_checked;
    out["requests"] = context.wire().requests();
    out["retries"] = context.wire().retries();
    out["seconds"] = static_cast<double>(took.count()) / 1000.0;
    return context.output().object(out);
}

}  // namespace

void register_download(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("download", "Download a blob");
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    cmd->add_option("FILE", o->file,
                    "File or directory to write, - for standard output (default: the blob's name in this directory)");
    Option* parallel =
        cmd->add_option("--concurrency", o->concurrency, "Ranges fetched at once; each takes 4 MiB of memory")
            ->type_name("N")
            ->range(1, 256)
            ->show_default();
    Option* no_md5 = cmd->add_flag("--no-check-md5", o->no_check_md5, "Do not compare with the blob's stored MD5");
    add_retry_for_flag(*cmd, o->retry_for);
    cmd->add_flag("--follow", o->follow, "Print an append blob and what is appended to it and its parts, like tail -f")
        ->excludes(parallel)
        ->excludes(no_md5);
    cmd->add_flag("--from-end", o->following.from_end, "With --follow: only what is appended from now on");
    add_duration(*cmd, "--interval", o->interval, "With --follow: time between two looks (default 2s)");
    add_condition_flags(*cmd, o->conditions);
    add_etag_file_flag(*cmd, o->etag_file);
    cmd->footer(kExamples);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
