// `azlock upload SRC... DEST`: uploads files, directories, a pipe or a command's output as blobs, each completely or
// not at all.

#include "cli/commands/upload/show_upload.hpp"
#include "cli/commands/upload/upload_files.hpp"
#include "cli/commands/upload/upload_flags.hpp"
#include "cli/program/command.hpp"
#include "ops/upload/request.hpp"

namespace azlock::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  azlock upload build.tar.gz artifacts/build.tar.gz --create-container\n"
    "  azlock upload app.zip releases/    # the blob is named releases/app.zip\n"
    "  azlock upload -r dist/ site/v1/ --skip-unchanged\n"
    "  azlock upload lock.json state/lock.json --if-none-match '*'\n"
    "  azlock upload --exec backups/db.sql.gz -- sh -c 'pg_dump db | gzip'\n"
    "  pg_dump db | azlock upload - backups/db.sql\n"
    "  azlock lock deploy -- azlock upload --fence site.tgz releases/site.tgz\n"
    "To continue an interrupted upload, run the same command again, here or on another machine.\n";

struct Options {
    ops::UploadRequest request;
    UploadFlags upload;
};

// If a command is the source and fails, its exit code becomes azlock's and nothing is committed.
Status upload_pipe(ops::PipeSource source, ops::UploadOptions options, Opened& opened,
                   TransferContext& transfer_context, Context& context) {
    source.memory = transfer_context.parts->memory();
    transfer_context.parts->progress().total = source.expect_size.value_or(0);
    const ShownUpload shown{context,
                            transfer_context,
                            opened,
                            {},
                            "run the same command again: staged blocks are not sent again if the input is the same"};
    return show_upload(shown, [&] {
        auto end = ops::upload_pipe(opened.client(), opened.address, source, std::move(options),
                                    transfer_context.parts->transfer(), context.call());
        if (end.exit_code) context.set_exit_code(*end.exit_code);
        return std::move(end.report);
    });
}

Status run(const Options& o, Context& context) {
    auto options = read_upload_options(o.upload);
    if (!options) return fail(options.error());
    ops::UploadRequest request = o.request;
    request.command = context.command_line();
    request.options = std::move(*options);
    auto order = ops::make_upload_order(std::move(request));
    if (!order) return fail(order.error());
    auto transfer_context = start_transfers(context, o.upload.transfer);
    if (!transfer_context) return fail(transfer_context.error());
    order->options.concurrency = transfer_context->parts->threads();
    auto opened = context.open(order->destination);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->address.must_not_be_snapshot("written"); !ok) return ok;
    if (auto* pipe = std::get_if<ops::PipeSource>(&order->source)) {
        return upload_pipe(std::move(*pipe), std::move(order->options), *opened, *transfer_context, context);
    }
    if (auto* files = std::get_if<ops::ManyFiles>(&order->source)) {
        return upload_files(std::move(*files), order->options, *opened, *transfer_context, context);
    }
    return upload_one({context, *transfer_context, *opened, std::get<ops::OneFile>(order->source).path},
                      std::move(order->options));
}

void add_pipe_flags(Parser& command, ops::UploadRequest& request) {
    add_size(command, "--expect-size", request.expect_size, "Commit only if the input has exactly this size")
        ->group("Standard input and --exec");
    command.add_option("--expect-sha256", request.expect_sha256, "Commit only if the input has this SHA-256")
        ->type_name("HEX")
        ->group("Standard input and --exec");
}

}  // namespace

void register_upload(Parser& app, Commands& commands) {
    auto o = std::make_shared<Options>();
    Parser* cmd = app.add_subcommand("upload", "Upload files, directories or a pipe as block blobs");
    cmd->add_option("SRC... DEST", o->request.paths,
                    "Files, directories (-r) or - for standard input; then CONTAINER[/BLOB], az://... or URL. If that "
                    "is a container or ends in '/', the blobs get the files' names")
        ->type_name("");
    cmd->add_flag("--exec", o->request.exec,
                  "Upload what a command writes: --exec DEST -- COMMAND...; only if it exits with 0");
    cmd->add_flag("--create-container", o->upload.options.create_container,
                  "Create the container if it does not exist");
    add_files_flags(*cmd, o->request, o->upload.options);
    add_pipe_flags(*cmd, o->request);
    add_upload_flags(*cmd, o->upload, false);
    cmd->footer(kExamples);
    commands.take_command(cmd, "--exec");
    commands.print_result(cmd);
    commands.add(cmd, [o](Context& context) { return run(*o, context); });
}

}  // namespace azlock::cli
