#include "ops/upload/request.hpp"

#include <algorithm>
#include <filesystem>

#include "azure/address.hpp"
#include "base/encoding.hpp"
#include "base/shell_quote.hpp"
#include "base/text.hpp"

namespace azlock::ops {
namespace {

// Flags that choose among files.
bool selects(const UploadRequest& request) {
    const SelectionRequest& selection = request.selection;
    return selection.recursive || selection.files_from || !selection.include.empty() || !selection.exclude.empty() ||
           !request.symlinks.empty() || request.dry_run;
}

bool is_pipe(const UploadRequest& request) {
    return request.exec || (request.paths.size() == 2 && request.paths[0] == "-" && !request.selection.files_from);
}

Status check_options(const UploadOptions& options) {
    if (options.block_size && options.cut == CutKind::content) {
        return fail(ErrorCode::usage, "--block-size does not go with --chunking content, whose blocks have many sizes");
    }
    if (options.leave_existing && options.conditions.any()) {
        return fail(ErrorCode::usage, "--no-overwrite is a condition and does not go with --if-...");
    }
    return {};
}

Status check_paths(const UploadRequest& request) {
    if (request.selection.null_separated && !request.selection.files_from) {
        return fail(ErrorCode::usage, "--null goes with --files-from");
    }
    if (request.exec && (request.paths.size() != 1 || request.command.empty())) {
        return fail(ErrorCode::usage, "--exec: one destination and a command are needed",
                    "azlock upload --exec DEST -- COMMAND...");
    }
    const std::size_t least = request.exec || request.selection.files_from ? 1 : 2;
    if (request.paths.size() < least) {
        return fail(ErrorCode::usage, "a source and a destination are needed", "azlock upload SRC... DEST");
    }
    return {};
}

Result<Sha256Sum> read_sha256(const std::string& hex) {
    const auto bytes = hex_decode(hex);
    Sha256Sum out{};
    if (!bytes || bytes->size() != out.size()) {
        return fail(ErrorCode::usage, "--expect-sha256: " + in_quotes(hex) + " is not 64 hexadecimal digits");
    }
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return out;
}

Result<PipeSource> pipe_of(const UploadRequest& request) {
    if (selects(request) || request.options.skip_unchanged) {
        return fail(ErrorCode::usage, "flags that choose or compare files do not go with '-' and --exec");
    }
    PipeSource pipe{request.exec ? request.command : std::vector<std::string>(), 0, request.expect_size, {}};
    if (request.expect_sha256.empty()) return pipe;
    const auto sum = read_sha256(request.expect_sha256);
    if (!sum) return fail(sum.error());
    pipe.expect_sha256 = *sum;
    return pipe;
}

Result<ManyFiles> files_of(const UploadRequest& request) {
    const azure::Conditions& conditions = request.options.conditions;
    if ((conditions.any() && conditions.if_none_match != "*") || !conditions.lease_id.empty()) {
        return fail(ErrorCode::usage, "--if-match, dates and --lease-id are about one blob: upload one file",
                    "--if-none-match '*' and --no-overwrite work with many files");
    }
    ManyFiles out{request.selection, request.dry_run};
    out.selection.sources.assign(request.paths.begin(), request.paths.end() - 1);
    if (request.symlinks == "follow") out.selection.symlinks = SymlinkPolicy::follow;
    if (request.symlinks == "refuse") out.selection.symlinks = SymlinkPolicy::refuse;
    return out;
}

// "azlock upload box/x file".
Status check_order(const std::vector<std::string>& paths) {
    std::error_code ignored;
    const std::string& first = paths.front();
    const std::string& last = paths.back();
    if (std::filesystem::exists(first, ignored) || !std::filesystem::exists(last, ignored)) return {};
    if (azure::parse_target(last)) return {};
    return fail(ErrorCode::usage, "'" + printable(first) + "' is no local file, and '" + printable(last) + "' is one",
                "the file comes first: azlock upload " + shell_word(last) + " " + shell_word(first));
}

bool is_one_file(const UploadRequest& request) {
    std::error_code ignored;
    return request.paths.size() == 2 && !selects(request) && !std::filesystem::is_directory(request.paths[0], ignored);
}

}  // namespace

Result<UploadOrder> make_upload_order(UploadRequest request) {
    if (auto ok = check_options(request.options); !ok) return fail(ok.error());
    if (auto ok = check_paths(request); !ok) return fail(ok.error());
    if (request.options.leave_existing) request.options.conditions.if_none_match = "*";
    UploadOrder order{request.paths.back(), {}, {}};
    if (is_pipe(request)) {
        auto pipe = pipe_of(request);
        if (!pipe) return fail(pipe.error());
        order.source = std::move(*pipe);
    } else if (request.expect_size || !request.expect_sha256.empty()) {
        return fail(ErrorCode::usage, "--expect-size and --expect-sha256 are for '-' and --exec");
    } else if (is_one_file(request)) {
        if (auto ok = check_order(request.paths); !ok) return fail(ok.error());
        order.source = OneFile{std::move(request.paths[0])};
    } else {
        auto files = files_of(request);
        if (!files) return fail(files.error());
        order.source = std::move(*files);
    }
    order.options = std::move(request.options);
    return order;
}

bool can_be_continued(const Error& error, bool resuming, const Progress& progress) {
    return error.code == ErrorCode::cancelled && (resuming || progress.sent + progress.reused > 0);
}

}  // namespace azlock::ops
