#include "cli/commands/upload/show_upload.hpp"

#include <filesystem>

#include "base/quantity.hpp"
#include "ops/files/content_type.hpp"
#include "ops/upload/request.hpp"
#include "ops/upload/upload_file.hpp"

namespace azlock::cli {
namespace {

// "uploaded 1.0 GiB in 128 blocks (100 were there already, 224 MiB sent), 2.1s"
std::string upload_text(const ops::UploadReport& report, std::chrono::milliseconds took) {
    if (report.unchanged) return "unchanged, nothing written";
    std::string out = "uploaded " + format_bytes(report.bytes);
    if (report.blocks > 0) out += " in " + format_count(report.blocks, "block");
    if (report.reused_blocks > 0) {
        out += " (" + std::to_string(report.reused_blocks) + " were there already, " + format_bytes(report.sent) +
               " sent)";
    }
    return out + ", " + format_duration(took);
}

Json upload_json(const std::string& target, const ops::UploadReport& report) {
    Json out;
    out["target"] = target;
    out["etag"] = or_null(report.etag);
    out["bytes"] = report.bytes;
    out["sent"] = report.sent;
    out["reused"] = report.reused();
    out["blocks"] = report.blocks;
    out["unchanged"] = report.unchanged;
    out["existed"] = report.existed;
    // What proves the content: a hash in the block ids, or the MD5 of a single Put Blob.
    out["proof"] = report.existed ? Json() : report.hash ? Json(ops::to_string(*report.hash)) : Json("md5");
    return out;
}

Status tell_uploaded(Context& context, const std::string& target, const ops::UploadReport& report, BootTime start) {
    Output& output = context.output();
    if (report.unseen) tell_unseen(output, target);
    if (report.existed) output.notice(target + ": exists already, left alone");
    if (output.json()) {
        Json out = upload_json(target, report);
        out.update(context.costs(start));
        return output.object(out);
    }
    if (report.existed) return {};
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(context.clock().now() - start);
    output.notice(target + ": " + upload_text(report, took));
    return output.etag(report.etag);
}

}  // namespace

Status show_upload(const ShownUpload& shown, const std::function<Result<ops::UploadReport>()>& upload) {
    ops::Progress& progress = shown.transfer_context.parts->progress();
    std::error_code unknown;
    const auto size = std::filesystem::file_size(shown.file, unknown);
    if (!unknown) progress.total = size;
    progress.name = shown.file.empty() ? shown.opened.address.to_string() : shown.file;
    const BootTime start = shown.context.clock().now();
    auto display = shown.transfer_context.show();
    const auto report = upload();
    display.reset();
    if (report) return tell_uploaded(shown.context, shown.opened.address.to_string(), *report, start);
    return fail(with_hint(report.error(), shown.resuming, progress, shown.hint));
}

Status upload_one(ShownUpload shown, ops::UploadOptions options) {
    Opened& opened = shown.opened;
    if (auto ok = ops::name_blob(shown.file, opened.address); !ok) return ok;
    ops::fill_content_type(options.content.type, shown.file);
    ops::TransferParts& parts = *shown.transfer_context.parts;
    parts.progress().files = 1;
    shown.hint = "to continue: " + shown.context.same_command({"--fresh"});
    shown.resuming = options.must_resume;
    return show_upload(shown, [&] {
        return ops::upload_file(opened.client(), opened.address, shown.file, options, parts.transfer(),
                                shown.context.call());
    });
}

Error with_hint(Error error, bool resuming, const ops::Progress& progress, const std::string& hint) {
    if (ops::can_be_continued(error, resuming, progress)) error.hint = hint;
    return error;
}

void tell_unseen(Output& output, const std::string& target) {
    output.notice(target +
                  ": the credential may not read, so all bytes were sent, also those that may have been there");
}

}  // namespace azlock::cli
