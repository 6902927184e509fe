#include "ops/upload/upload_pipe.hpp"

#include <unistd.h>

#include "base/text.hpp"
#include "ops/files/content_type.hpp"
#include "os/child.hpp"
#include "os/exit_status.hpp"

namespace azlock::ops {
namespace {

Status check(const azure::BlobAddress& blob, const UploadOptions& options) {
    if (blob.blob.empty() || blob.blob.ends_with('/')) {
        return fail(ErrorCode::usage, "the destination must name the blob: a pipe has no name to give to it");
    }
    if (options.skip_unchanged) return fail(ErrorCode::usage, "--skip-unchanged is for files");
    return {};
}

// Waits for the command, whose output has ended.
Status ended_well(os::Child& child, const std::string& name, const std::stop_token& stop, std::optional<int>& code) {
    const auto end = child.wait(stop);
    if (!end) return fail(ErrorCode::cancelled, "stopped by a signal; nothing was committed");
    if (end->code == 0) return {};
    code = end->code;
    return fail(ErrorCode::data, os::describe_end(*end, name) + "; nothing was committed");
}

}  // namespace

PipeEnd upload_pipe(azure::BlobClient& client, const azure::BlobAddress& blob, const PipeSource& source,
                    UploadOptions options, const Transfer& transfer, const azure::Call& call) {
    if (auto ok = check(blob, options); !ok) return {fail(ok.error())};
    fill_content_type(options.content.type, blob.blob);
    StreamSource stream{STDIN_FILENO, "standard input", source.memory, source.expect_size, source.expect_sha256, {}};
    if (source.command.empty()) return {upload_stream(client, blob, stream, options, transfer, call)};
    if (auto ok = check_stream(stream, options); !ok) return {fail(ok.error())};  // before the command does anything
    const std::string& name = source.command.front();
    auto child = os::Child::start({source.command});
    if (!child) return {fail(child.error()), os::exit_code_of(os::start_failure(child.error()))};
    std::optional<int> code;
    stream.fd = child->output();
    stream.name = "the output of " + in_quotes(name);
    stream.producer_ended = [&] { return ended_well(*child, name, call.stop, code); };
    auto report = upload_stream(client, blob, stream, options, transfer, call);
    if (!report) child->stop();
    return {std::move(report), code};
}

}  // namespace azlock::ops
