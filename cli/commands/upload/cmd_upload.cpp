// `azlock upload SRC... DEST`: uploads files, directories, a pipe or a command's output as blobs, each completely or
// not at all.

#include "cli/commands/upload/show_upload.hpp"
#include "cli/commands/upload/upload_files.hpp"
#include "cli/commands/upload/upload_flags.hpp"
#include "cli/commands/upload/upload_pipe.hpp"
#include "cli/program/command.hpp"
#include "ops/files/content_type.hpp"
#include "ops/upload/request.hpp"
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
    ops::UploadRequest request;
    UploadFlags upload;
};

Status upload_one(const std::string& source, ops::UploadOptions options, Opened& opened,
                  TransferContext& transfer_context, Context& context) {
    if (auto ok = ops::name_blob(source, opened.address); !ok) return ok;
    ops::fill_content_type(options.content.type, source);
    transfer_context.parts().progress().files = 1;
    return show_upload({context, transfer_context, opened, source, "to continue: " + context.same_command({"--fresh"})},
                       [&] {
                           return ops::upload_file(opened.client(), opened.address, source, options,
                                                   transfer_context.parts().transfer(), context.call());
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
    auto transfer_context = TransferContext::start(context, o.upload.transfer);
    if (!transfer_context) return fail(transfer_context.error());
    order->options.concurrency = transfer_context->parts().threads();
    auto opened = context.open(order->destination);
    if (!opened) return fail(opened.error());
    if (auto ok = opened->must_not_be_snapshot("written"); !ok) return ok;
    if (auto* pipe = std::get_if<ops::PipeSource>(&order->source)) {
        return upload_pipe(std::move(*pipe), std::move(order->options), *opened, *transfer_context, context);
    }
    if (auto* files = std::get_if<ops::ManyFiles>(&order->source)) {
        return upload_files(std::move(*files), order->options, *opened, *transfer_context, context);
    }
    return upload_one(std::get<ops::OneFile>(order->source).path, std::move(order->options), *opened, *transfer_context,
                      context);
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
