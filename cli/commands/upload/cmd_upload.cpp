// `azlock upload SRC... DEST`: uploads files, directories, a pipe or a command's output as blobs, each completely or
// not at all.
#include <filesystem>

#include "cli/commands/upload/show_upload.hpp"
#include "cli/commands/upload/upload_files.hpp"
#include "cli/commands/upload/upload_pipe.hpp"
#include "cli/program/command.hpp"
#include "ops/files/content_type.hpp"
#include "ops/upload/upload_file.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock upload build.tar.gz artifacts/build.tar.gz --create-container\n"
    "  azlock upload app.zip releases/                 # the blob is named releases/app.zip\n"
    "  azlock upload -r dist/ site/v1/ --skip-unchanged\n"
    "  azlock upload lock.json state/lock.json --if-none-match '*'\n"
    "  azlock upload --exec backups/db.sql.gz -- sh -c 'pg_dump db | gzip'\n"
    "  pg_dump db | azlock upload - backups/db.sql\n"
    "  azlock lock deploy -- azlock upload --fence site.tgz releases/site.tgz   # not if the lock was lost meanwhile\n"
    "To continue an interrupted upload, run the same command again, here or on another machine.\n";

struct Options {
    std::vector<std::string> paths;  // sources and DEST; with --exec only DEST
    bool exec = false;
    UploadFlags upload;
    PipeFlags pipe;
    FilesFlags files;
};

Status upload_one(const std::string& source, const Options& o, ops::UploadOptions options, Opened& opened,
                  TransferContext& transfer_context, Context& context) {
    if (auto ok = ops::name_blob(source, opened.address); !ok) return ok;
    ops::fill_content_type(options.content.type, source);
    transfer_context.progress().files = 1;
    return show_upload({context, transfer_context, opened, o.upload.transfer.json_progress, source,
                        "to continue: " + context.same_command({"--fresh"})},
                       [&] {
                           return ops::upload_file(opened.client(), opened.address, source, options,
                                                   transfer_context.transfer(), context.call());
                       });
}

Status run(const Options& o, const std::vector<std::string>& command, Context& context) {
    auto options = read_upload_options(o.upload);
    if (!options) return fail(options.error());
    if (o.files.selection.null_separated && !o.files.selection.files_from) {
        return fail(ErrorCode::usage, "--null goes with --files-from");
    }
    if (options->leave_existing && options->conditions.any()) {
        return fail(ErrorCode::usage, "--no-overwrite is a condition and does not go with --if-...");
    }
    if (options->leave_existing) options->conditions.if_none_match = "*";
    const std::size_t least = o.exec || o.files.selection.files_from ? 1 : 2;
    if (o.exec && (o.paths.size() != 1 || command.empty())) {
        return fail(ErrorCode::usage, "--exec: one destination and a command are needed",
                    "azlock upload --exec DEST -- COMMAND...");
    }
    if (o.paths.size() < least) {
        return fail(ErrorCode::usage, "a source and a destination are needed", "azlock upload SRC... DEST");
    }
    const std::vector<std::string> sources(o.paths.begin(), o.paths.end() - 1);
    const bool pipe = o.exec || (sources == std::vector<std::string>{"-"} && !o.files.selection.files_from);
    if (pipe && (o.files.selects() || options->skip_unchanged)) {
        return fail(ErrorCode::usage, "flags that choose or compare files do not go with '-' and --exec");
    }
    if (!pipe && o.pipe.any())
        return fail(ErrorCode::usage, "--expect-size and --expect-sha256 are for '-' and --exec");

    auto transfer_context = TransferContext::start(context, o.upload.transfer);
    if (!transfer_context) return fail(transfer_context.error());
    options->concurrency = (*transfer_context)->threads();
    auto opened = context.open(o.paths.back());
    if (!opened) return fail(opened.error());
    if (auto ok = opened->must_not_be_snapshot("written"); !ok) return ok;
    if (pipe) {
        return upload_pipe(command, o.pipe, std::move(*options), *opened, **transfer_context,
                           o.upload.transfer.json_progress, context);
    }
    std::error_code ignored;
    if (sources.size() != 1 || o.files.selects() || std::filesystem::is_directory(sources[0], ignored)) {
        return upload_files(sources, o.files, std::move(*options), *opened, **transfer_context,
                            o.upload.transfer.json_progress, context);
    }
    return upload_one(sources[0], o, std::move(*options), *opened, **transfer_context, context);
}

}  // namespace

void register_upload(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("upload", "Upload files, directories or a pipe as block blobs");
    cmd->add_option("SRC... DEST", o->paths,
                    "Files, directories (-r) or - for standard input; then CONTAINER[/BLOB], az://... or URL. If that "
                    "is a container or ends in '/', the blobs get the files' names")
        ->type_name("");
    cmd->add_flag("--exec", o->exec,
                  "Upload what a command writes: --exec DEST -- COMMAND...; only if it exits with 0");
    cmd->add_flag("--create-container", o->upload.options.create_container,
                  "Create the container if it does not exist");
    add_files_flags(*cmd, o->files, o->upload.options);
    add_pipe_flags(*cmd, o->pipe);
    add_upload_flags(*cmd, o->upload, false);
    cmd->footer(kExamples);
    commands.take_command(cmd, "--exec");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context.command_line(), context); });
}

}  // namespace azlock::cli
