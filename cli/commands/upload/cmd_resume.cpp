// `azlock resume SRC DEST`: continues an interrupted upload, from any machine that has the file.

#include "base/quantity.hpp"
#include "base/shell_quote.hpp"
#include "cli/commands/upload/show_upload.hpp"
#include "cli/commands/upload/upload_flags.hpp"
#include "cli/program/command.hpp"
#include "ops/upload/staged_status.hpp"
#include "ops/upload/upload_file.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock resume big.iso images/big.iso\n"
    "  azlock resume big.iso images/big.iso --status\n"
    "Staged blocks are found by their content: the file may have changed meanwhile, and no local state is needed.\n";

struct Options {
    std::string source;
    std::string destination;
    bool status = false;
    UploadFlags upload;
};

Status tell_status(const ops::StagedStatus& s, const std::string& target, Context& context) {
    if (context.output().json()) {
        Json out;
        out["target"] = target;
        out["staged_blocks"] = s.staged.blocks;
        out["staged_bytes"] = s.staged.bytes;
        out["file_blocks"] = s.file.blocks;
        out["file_bytes"] = s.file.bytes;
        out["present_blocks"] = s.present.blocks;
        out["present_bytes"] = s.present.bytes;
        out["percent"] = s.percent();
        out["foreign_blocks"] = s.foreign.blocks;
        out["foreign_bytes"] = s.foreign.bytes;
        return context.output().object(out);
    }
    const std::string text =
        "staged: " + format_count(s.staged.blocks, "block") + ", " + format_bytes(s.staged.bytes) +
        "\nof the file: " + std::to_string(s.present.blocks) + " of " + format_count(s.file.blocks, "block") + ", " +
        format_bytes(s.present.bytes) + " of " + format_bytes(s.file.bytes) + " are there (" +
        std::to_string(static_cast<int>(s.percent())) + " %)\nforeign: " + format_count(s.foreign.blocks, "block") +
        ", " + format_bytes(s.foreign.bytes) + "\nto drop what is staged: azlock delete " + shell_word(target) +
        " --staged";
    return context.output().line(text);
}

Status run(const Options& o, Context& context) {
    auto options = read_upload_options(o.upload);
    if (!options) return fail(options.error());
    options->must_resume = true;
    auto transfer_context = start_transfers(context, o.upload.transfer);
    if (!transfer_context) return fail(transfer_context.error());
    options->concurrency = transfer_context->parts->threads();
    auto opened = context.open(o.destination);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_not_be_snapshot("written"); !ok) return ok;
    if (o.status) {
        if (auto ok = ops::name_blob(o.source, opened->address); !ok) return ok;
        ops::Progress& progress = transfer_context->parts->progress();
        progress.name = o.source;
        auto display = transfer_context->show();
        auto status =
            ops::staged_status(opened->client(), opened->address, o.source, *options, context.call(), &progress);
        display.reset();
        if (!status) return fail(status.error());
        return tell_status(*status, opened->address.to_string(), context);
    }
    return upload_one({context, *transfer_context, *opened, o.source}, std::move(*options));
}

}  // namespace

void register_resume(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("resume", "Continue an interrupted upload, from any machine");
    cmd->add_option("SRC", o->source, "The file")->required();
    cmd->add_option("DEST", o->destination, "CONTAINER[/BLOB], az://... or URL")->required();
    cmd->add_flag("--status", o->status, "Only say what is staged, and how much of the file that is");
    add_upload_flags(*cmd, o->upload, true);
    cmd->footer(kExamples);
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
