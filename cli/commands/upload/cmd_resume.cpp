// `azlock resume SRC DEST`: continues an interrupted upload, from any machine that has the file.
#include <filesystem>
#include <memory>

#include "base/quantity.hpp"
#include "cli/commands/upload/upload_flags.hpp"
#include "cli/commands/upload/upload_pipe.hpp"
#include "cli/program/command.hpp"
#include "ops/files/content_type.hpp"
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
    const double percent =
        s.file_bytes == 0 ? 100.0 : 100.0 * static_cast<double>(s.present_bytes) / static_cast<double>(s.file_bytes);
    if (context.output().json()) {
        Json out;
        out["target"] = target;
        out["staged_blocks"] = s.staged_blocks;
        out["staged_bytes"] = s.staged_bytes;
        out["file_blocks"] = s.file_blocks;
        out["file_bytes"] = s.file_bytes;
        out["present_blocks"] = s.present_blocks;
        out["present_bytes"] = s.present_bytes;
        out["percent"] = percent;
        out["foreign_blocks"] = s.foreign_blocks;
        out["foreign_bytes"] = s.foreign_bytes;
        return context.output().object(out);
    }
    std::vector<std::string> lines{
        "staged: " + std::to_string(s.staged_blocks) + " blocks, " + format_bytes(s.staged_bytes),
        "of the file: " + std::to_string(s.present_blocks) + " of " + std::to_string(s.file_blocks) + " blocks, " +
            format_bytes(s.present_bytes) + " of " + format_bytes(s.file_bytes) + " are there (" +
            std::to_string(static_cast<int>(percent)) + " %)",
        "foreign: " + std::to_string(s.foreign_blocks) + " blocks, " + format_bytes(s.foreign_bytes)};
    for (const std::string& line : lines) {
        if (auto written = context.output().line(line); !written) return written;
    }
    return {};
}

Status run(const Options& o, Context& context) {
    auto options = read_upload_options(o.upload);
    if (!options) return fail(options.error());
    options->must_resume = true;
    auto session = TransferContext::start(context, o.upload.transfer);
    if (!session) return fail(session.error());
    options->concurrency = (*session)->threads();
    auto opened = context.open(o.destination);
    if (!opened) return fail(opened.error());
    if (!opened->address.snapshot.empty()) return fail(ErrorCode::usage, "a snapshot cannot be written");
    if (opened->address.blob.empty() || opened->address.blob.ends_with('/')) {
        opened->address.blob += std::filesystem::path(o.source).filename().string();
    }
    const std::string target = opened->address.to_string();
    if (o.status) {
        auto status = ops::staged_status(opened->client(), opened->address, o.source, *options, context.call());
        if (!status) return fail(status.error());
        return tell_status(*status, target, context);
    }
    if (options->content.type.empty()) {
        options->content.type = ops::ContentTypes(ops::system_content_type_files(std::getenv)).of(o.source);
    }
    std::error_code ignored;
    const auto size = std::filesystem::file_size(o.source, ignored);
    if (!ignored) (*session)->progress().total = size;
    const BootTime start = context.clock().now();
    Result<ops::UploadReport> report;
    {
        const auto display = (*session)->show(o.upload.transfer.json_progress);
        report = ops::upload_file(opened->client(), opened->address, o.source, *options, (*session)->transfer(),
                                  context.call());
    }
    if (!report) {
        Error error = report.error();
        if (error.code == ErrorCode::cancelled) error.hint = "to continue: " + context.same_command({});
        return fail(std::move(error));
    }
    return tell_uploaded(context, target, *report, start);
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
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
