// `azlock download BLOB [FILE]`: writes one version of a blob to a file, completely or not at all.
#include <memory>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/conditional_read.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/retry_for.hpp"
#include "cli/flags/transfer_flags.hpp"
#include "cli/output/stdout_target.hpp"
#include "cli/program/command.hpp"
#include "ops/append/follow_request.hpp"
#include "ops/read/download_file.hpp"
#include "ops/read/etag_file.hpp"

namespace azlock::cli {
namespace {

struct Options {
    std::string blob;
    ops::FollowRequest request;  // without `json` and conditions
    ConditionFlags conditions;
    ops::DownloadOptions options;
    bool no_check_md5 = false;
    std::optional<std::uint64_t> limit_rate;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock download artifacts/build.tar.gz\n"
    "  azlock download artifacts/build.tar.gz /tmp/b.tgz --if-match \"$etag\"\n"
    "  azlock download artifacts/build.tar.gz - | tar tz\n"
    "  azlock download settings/app.json --etag-file app.etag   # 80: nothing new\n"
    "  azlock download logs/app.log --follow --from-end | grep ERROR\n";

Status follow(const std::string& blob, ops::FollowOptions options, Context& context) {
    auto opened = context.open_single(blob);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_be_blob(); !ok) return ok;
    options.retry.told = tell_of_outages(context, [] { return "goes on when it answers again"; });
    return ops::follow_blob(
        opened->client(), opened->address, options, [&](ByteView bytes) { return context.output().bytes(bytes); },
        context.call());
}

void tell_downloaded(Context& context, const std::string& what, std::uint64_t bytes, std::chrono::milliseconds took) {
    context.output().notice(what + ": downloaded " + format_bytes(bytes) + ", " + format_duration(took));
}

Status run(const Options& o, Context& context) {
    ops::FollowRequest request = o.request;
    request.json = context.output().json();
    request.conditions = o.conditions.values;
    auto following = ops::make_follow_options(request);
    if (!following) return fail(following.error());
    if (*following) return follow(o.blob, std::move(**following), context);
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    if (auto ok = ops::take_etag_file(request.etag_file, *conditions); !ok) return ok;
    TransferFlags flags;
    flags.request = {o.options.concurrency, o.options.memory, o.limit_rate, {}, request.retry_for};
    const auto transfers = start_transfers(context, flags);
    if (!transfers) return fail(transfers.error());
    auto opened = context.open_listed(o.blob, *conditions);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_be_blob(); !ok) return ok;

    ops::DownloadOptions options = o.options;
    options.conditions = std::move(*conditions);
    options.check_md5 = !o.no_check_md5;
    options.meter = transfers->parts->transfer().meter;
    ops::Progress& progress = transfers->parts->progress();
    progress.name = opened->address.to_string();
    StdoutTarget target(context.output());
    const BootTime start = context.clock().now();
    const auto display = transfers->show(request.file == "-" ? Stdout::meanwhile : Stdout::at_the_end);
    const auto downloaded = ops::download_as_asked(opened->client(), opened->address, request.file, request.etag_file,
                                                   target, options, context.call());
    const bool shown = display->end();
    if (!downloaded) return read_failed(context, opened->address, downloaded.error());
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    if (!*downloaded) {
        if (shown) tell_downloaded(context, progress.name, progress.sent, took);
        return {};
    }
    const ops::FileDownload& done = **downloaded;
    if (!context.output().json() && !done.superseded_by.empty()) {
        context.output().notice(printable(done.path + ": another download has saved a later version meanwhile, ETag " +
                                          done.superseded_by + "; it stays"));
        return {};
    }
    if (!context.output().json()) {
        tell_downloaded(context, done.path, done.report.bytes, took);
        return {};
    }
    Json out;
    out["target"] = opened->address.to_string();
    out["file"] = done.path;
    out["etag"] = done.report.properties.etag;
    out["superseded_by"] = or_null(done.superseded_by);
    out["bytes"] = done.report.bytes;
    out["md5_checked"] = done.report.md5_checked;
    out.update(context.costs(start));
    return context.output().object(out);
}

}  // namespace

void register_download(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("download", "Download a blob");
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    cmd->add_option("FILE", o->request.file,
                    "File or directory to write, - for standard output (default: the blob's name in this directory)");
    Option* parallel = cmd->add_option("--concurrency", o->options.concurrency,
                                       "Ranges fetched at once, as far as --memory allows (default 4)")
                           ->type_name("N")
                           ->range(1, 256);
    Option* memory = add_size(*cmd, "--memory", o->options.memory, "Largest memory for ranges (default 32MiB)");
    Option* limit =
        add_size(*cmd, "--limit-rate", o->limit_rate, "Get at most this many bytes per second")->group("Transfer");
    Option* no_md5 = cmd->add_flag("--no-check-md5", o->no_check_md5, "Do not compare with the blob's stored MD5");
    add_retry_for_flag(*cmd, o->request.retry_for);
    cmd->add_flag("--follow", o->request.follow,
                  "Print an append blob and what is appended to it and its parts, like tail -f")
        ->excludes(parallel)
        ->excludes(memory)
        ->excludes(limit)
        ->excludes(no_md5);
    cmd->add_flag("--from-end", o->request.from_end, "With --follow: only what is appended from now on");
    add_duration(*cmd, "--interval", o->request.interval, "With --follow: time between two looks (default 2s)");
    add_condition_flags(*cmd, o->conditions);
    add_etag_file_flag(*cmd, o->request.etag_file);
    cmd->footer(kExamples);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
