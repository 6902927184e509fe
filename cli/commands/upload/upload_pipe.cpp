#include "cli/commands/upload/upload_pipe.hpp"

#include "base/text.hpp"
#include "cli/commands/upload/show_upload.hpp"
#include "ops/upload/upload_pipe.hpp"

namespace azlock::cli {
namespace {

Result<Sha256Sum> read_sha256(const std::string& hex) {
    const auto bytes = hex_decode(hex);
    Sha256Sum out{};
    if (!bytes || bytes->size() != out.size()) {
        return fail(ErrorCode::usage, "--expect-sha256: '" + printable(hex) + "' is not 64 hexadecimal digits");
    }
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return out;
}

}  // namespace

void add_pipe_flags(Parser& command, PipeFlags& flags) {
    add_size(command, "--expect-size", flags.expect_size, "Commit only if the input has exactly this size")
        ->group("Standard input and --exec");
    command.add_option("--expect-sha256", flags.expect_sha256, "Commit only if the input has this SHA-256")
        ->type_name("HEX")
        ->group("Standard input and --exec");
}

Status upload_pipe(const std::vector<std::string>& command, const PipeFlags& flags, ops::UploadOptions options,
                   Opened& opened, TransferContext& transfer_context, bool json_progress, Context& context) {
    ops::PipeSource source{command, transfer_context.memory(), flags.expect_size, {}};
    if (!flags.expect_sha256.empty()) {
        const auto sum = read_sha256(flags.expect_sha256);
        if (!sum) return fail(sum.error());
        source.expect_sha256 = *sum;
    }
    transfer_context.progress().total = flags.expect_size.value_or(0);
    const ShownUpload shown{
        context, transfer_context,
        opened,  json_progress,
        {},      "run the same command again: staged blocks are not sent again if the input is the same"};
    return show_upload(shown, [&] {
        auto end = ops::upload_pipe(opened.client(), opened.address, source, std::move(options),
                                    transfer_context.transfer(), context.call());
        if (end.exit_code) context.set_exit_code(*end.exit_code);
        return std::move(end.report);
    });
}

}  // namespace azlock::cli
