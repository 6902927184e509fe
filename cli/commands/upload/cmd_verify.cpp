// `azlock verify FILE BLOB`: does the blob hold the file's bytes, and what proves it?

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/flags/flags.hpp"
#include "cli/flags/retry_for.hpp"
#include "cli/output/exit_code.hpp"
#include "cli/program/command.hpp"
#include "cli/program/show_progress.hpp"
#include "ops/verify/verify.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock verify big.iso images/big.iso\n"
    "  azlock verify photo.jpg pictures/photo.jpg --download\n"
    "Exit code 0: the same; 65: different; 73: the blob has no block ids and no MD5 to compare, and --download was "
    "not\n"
    "given.\n";

struct Options {
    std::string file;
    std::string blob;
    ConditionFlags conditions;
    ops::VerifyOptions verify;
    RetryFor retry_for;
};

Status run(const Options& o, Context& context) {
    auto conditions = read_conditions(o.conditions);
    if (!conditions) return fail(conditions.error());
    ops::VerifyOptions options = o.verify;
    options.conditions = std::move(*conditions);
    const auto outages = ride_out(context, {.retry_for = o.retry_for});
    auto opened = context.open(o.blob);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_be_blob(); !ok) return ok;
    ops::Progress progress;
    progress.name = o.file;
    options.progress = &progress;
    auto display = show_progress(context, progress, progress_style(context.output(), false));
    auto report = ops::verify_file(opened->client(), opened->address, o.file, options, context.call());
    display.reset();
    if (!report) return fail(report.error());
    const Status same = ops::check_same(*report, opened->address, o.file);
    const std::string target = opened->address.to_string();
    if (context.output().json()) {
        Json out;
        out["target"] = target;
        out["same"] = report->same;
        out["proof"] = ops::to_string(report->proof);
        out["hash"] = report->hash ? Json(ops::to_string(*report->hash)) : Json();
        out["file_bytes"] = report->file_bytes;
        out["blob_bytes"] = report->blob_bytes;
        out["different_from"] = report->different ? Json(report->different->offset) : Json();
        out["different_length"] = report->different ? Json(report->different->length) : Json();
        out["etag"] = report->etag;
        if (auto written = context.output().object(out); !written) return written;
        if (!same) context.set_exit_code(exit_code(same.error(), 0));
        return {};
    }
    if (!same) return same;
    context.output().notice(target + ": holds the same " + format_bytes(report->file_bytes) + " as " +
                            in_quotes(o.file) + ", " + ops::describe_proof(*report));
    return {};
}

}  // namespace

void register_verify(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd =
        app.add_subcommand("verify", "Compare a file with a blob, without downloading it if that is possible");
    cmd->add_option("FILE", o->file, "The local file")->required();
    cmd->add_option("BLOB", o->blob, "CONTAINER/BLOB, az://... or URL")->required();
    cmd->add_flag("--download", o->verify.download, "Download and compare if the blob has no hash to compare");
    add_retry_for_flag(*cmd, o->retry_for);
    add_condition_flags(*cmd, o->conditions);
    cmd->footer(kExamples);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
