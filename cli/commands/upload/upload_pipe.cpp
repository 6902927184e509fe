#include "cli/commands/upload/upload_pipe.hpp"

#include "cli/commands/upload/show_upload.hpp"
#include "cli/flags/flags.hpp"

namespace azlock::cli {

void add_pipe_flags(Parser& command, ops::UploadRequest& request) {
    add_size(command, "--expect-size", request.expect_size, "Commit only if the input has exactly this size")
        ->group("Standard input and --exec");
    command.add_option("--expect-sha256", request.expect_sha256, "Commit only if the input has this SHA-256")
        ->type_name("HEX")
        ->group("Standard input and --exec");
}

Status upload_pipe(ops::PipeSource source, ops::UploadOptions options, Opened& opened,
                   TransferContext& transfer_context, Context& context) {
    source.memory = transfer_context.parts().memory();
    transfer_context.parts().progress().total = source.expect_size.value_or(0);
    const ShownUpload shown{context,
                            transfer_context,
                            opened,
                            {},
                            "run the same command again: staged blocks are not sent again if the input is the same"};
    return show_upload(shown, [&] {
        auto end = ops::upload_pipe(opened.client(), opened.address, source, std::move(options),
                                    transfer_context.parts().transfer(), context.call());
        if (end.exit_code) context.set_exit_code(*end.exit_code);
        return std::move(end.report);
    });
}

}  // namespace azlock::cli
