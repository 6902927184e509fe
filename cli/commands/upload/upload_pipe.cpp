#include "cli/commands/upload/upload_pipe.hpp"

#include <unistd.h>

#include "base/text.hpp"
#include "cli/commands/upload/show_upload.hpp"
#include "ops/files/content_type.hpp"
#include "ops/upload/upload_stream.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

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

Result<os::Child> start_child(const std::vector<std::string>& command, Context& context) {
    auto child = os::Child::start({command});
    if (!child) context.set_exit_code(os::exit_code_of(os::start_failure(child.error())));
    return child;
}

Status ended_well(os::Child& child, const std::string& name, Context& context) {
    const auto end = child.wait(context.call().stop);
    if (!end) return fail(ErrorCode::cancelled, "stopped by a signal; nothing was committed");
    if (end->code == 0) return {};
    context.set_exit_code(end->code);
    const std::string how = end->signal != 0 ? "was killed by signal " + std::to_string(end->signal)
                                             : "failed with exit code " + std::to_string(end->code);
    return fail(ErrorCode::data, "the command '" + printable(name) + "' " + how + "; nothing was committed");
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
                   Opened& opened, TransferContext& session, bool json_progress, Context& context) {
    if (opened.address.blob.empty() || opened.address.blob.ends_with('/')) {
        return fail(ErrorCode::usage, "the destination must name the blob: a pipe has no name to give to it");
    }
    if (options.skip_unchanged) return fail(ErrorCode::usage, "--skip-unchanged is for files");
    ops::StreamSource source;
    source.fd = STDIN_FILENO;
    source.name = "standard input";
    source.memory = session.memory();
    source.expect_size = flags.expect_size;
    if (!flags.expect_sha256.empty()) {
        const auto sum = read_sha256(flags.expect_sha256);
        if (!sum) return fail(sum.error());
        source.expect_sha256 = *sum;
    }
    if (options.content.type.empty()) {
        options.content.type = ops::ContentTypes(ops::system_content_type_files(std::getenv)).of(opened.address.blob);
    }
    std::optional<os::Child> child;
    if (!command.empty()) {
        auto started = start_child(command, context);
        if (!started) return fail(started.error());
        child.emplace(std::move(*started));
        source.fd = child->output();
        source.name = "the output of '" + printable(command[0]) + "'";
        source.producer_ended = [&] { return ended_well(*child, command[0], context); };
    }
    session.progress().total = flags.expect_size.value_or(0);
    const ShownUpload shown{
        context, session,
        opened,  json_progress,
        {},      "run the same command again: staged blocks are not sent again if the input is the same"};
    return show_upload(shown, [&] {
        auto report =
            ops::upload_stream(opened.client(), opened.address, source, options, session.transfer(), context.call());
        if (!report && child) child->stop();
        return report;
    });
}

}  // namespace azlock::cli
